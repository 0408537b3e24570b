// The time line: the whole run, its impacts as marks to click, the part that the plots show.
import { nearestIndex } from "./data.js";
import { element, short } from "./format.js";
import { color, onTheme } from "./theme.js";

export class Timeline {
  constructor(player, range) {
    this.player = player;
    this.range = range;
    this.canvas = element("canvas", {
      class: "timeline", tabindex: "0", role: "slider", "aria-label": "Time; arrows step, N and P go to impacts",
      "aria-valuemin": "0", "aria-valuemax": String(player.end),
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onTheme(() => this.draw());
    range.on(() => this.draw());
    player.on(() => this.draw());
    this.canvas.addEventListener("pointerdown", (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      this.pick(e, true);
      const move = (m) => this.pick(m, false);
      this.canvas.addEventListener("pointermove", move);
      this.canvas.addEventListener("pointerup", () => this.canvas.removeEventListener("pointermove", move), { once: true });
    });
  }

  /** A click close to an impact means the impact. */
  pick(event, snap) {
    const box = this.canvas.getBoundingClientRect();
    let t = ((event.clientX - box.left) / box.width) * this.player.end;
    if (snap && this.player.impacts.length) {
      const near = this.player.impacts[nearestIndex(this.player.impacts, t)];
      if ((Math.abs(near - t) / this.player.end) * box.width < 5) t = near;
    }
    this.player.seek(t);
  }

  draw() {
    const { canvas, player } = this;
    const ratio = window.devicePixelRatio || 1;
    const w = canvas.clientWidth;
    const h = canvas.clientHeight;
    if (!w) return;
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    const x = (t) => (t / player.end) * w;
    g.fillStyle = color("track");
    g.beginPath();
    g.roundRect(0, h / 2 - 3, w, 6, 3);
    g.fill();
    const shown = this.range.now;
    if (shown) {
      g.fillStyle = color("shown");
      g.fillRect(x(shown[0]), 3, Math.max(x(shown[1]) - x(shown[0]), 2), h - 6);
    }
    g.fillStyle = color("accent");
    g.beginPath();
    g.roundRect(0, h / 2 - 3, Math.max(x(player.t), 0), 6, 3);
    g.fill();
    // Where impacts are closer than a pixel, marks become a density.
    const marks = new Uint32Array(Math.ceil(w) + 1);
    for (const t of player.impacts) marks[Math.min(Math.max(Math.round(x(t)), 0), marks.length - 1)]++;
    const most = Math.max(...marks, 1);
    g.fillStyle = color("impact");
    marks.forEach((n, i) => {
      if (!n) return;
      g.globalAlpha = 0.35 + (0.6 * n) / most;
      g.fillRect(i - 0.75, 6, 1.5, h - 12);
    });
    g.globalAlpha = 1;
    g.fillStyle = color("text");
    g.beginPath();
    g.arc(Math.min(Math.max(x(player.t), 7), w - 7), h / 2, 7, 0, 2 * Math.PI);
    g.fill();
    g.strokeStyle = color("card");
    g.lineWidth = 2;
    g.stroke();
    canvas.setAttribute("aria-valuenow", String(player.t));
    canvas.setAttribute("aria-valuetext", `t = ${short(player.t)}`);
  }
}
