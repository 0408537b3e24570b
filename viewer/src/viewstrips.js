// Lines of nodes on an axis as strips, coloured by strain: compressed red, stretched blue. Time runs below them: the paths of the
// tips around now.
import { floorIndex, numbers } from "./data.js";
import { short } from "./format.js";
import { color, isDark, onTheme } from "./theme.js";

export class ViewStrips {
  constructor(canvas, motion, player, impactTimes) {
    this.canvas = canvas;
    this.player = player;
    this.impacts = impactTimes;
    this.t = numbers(motion.t);
    this.u = numbers(motion.displacement);
    this.strips = motion.strips.map((strip) => ({ name: strip.name, at: numbers(strip.reference) }));
    this.width = this.strips.reduce((sum, strip) => sum + strip.at.length, 0);
    this.walls = motion.walls;
    this.bounds = motion.bounds;
    this.follow = false;
    this.trail = "short";
    this.largest = this.largestStrain();
    new ResizeObserver(() => this.draw()).observe(canvas);
    onTheme(() => this.draw());
    player.on(() => this.draw());
  }

  /** Strain of all pieces at all frames: the scale of the colours. */
  largestStrain() {
    let largest = 0;
    for (let k = 0; k < this.t.length; k++)
      this.each(k, 0, (strip, i, strain) => { largest = Math.max(largest, Math.abs(strain)); });
    return largest > 0 ? largest : 1;
  }
  /** Calls visit(strip, piece, strain, left, right) for every piece at frame k + f. */
  each(k, f, visit) {
    const next = Math.min(k + 1, this.t.length - 1);
    let offset = 0;
    for (const strip of this.strips) {
      const u = (i) => this.u[k * this.width + offset + i] * (1 - f) + this.u[next * this.width + offset + i] * f;
      let left = u(0);
      for (let i = 0; i + 1 < strip.at.length; i++) {
        const right = u(i + 1);
        visit(strip, i, (right - left) / (strip.at[i + 1] - strip.at[i]), strip.at[i] + left, strip.at[i + 1] + right);
        left = right;
      }
      offset += strip.at.length;
    }
  }
  strainColor(strain) {
    const s = Math.max(-1, Math.min(1, strain / this.largest));
    const [r, g, b] = s < 0 ? [200, 60, 40] : [40, 95, 175];
    const base = isDark() ? 58 : 228;
    const mix = (x) => Math.round(base + (x - base) * Math.abs(s) ** 0.7);
    return `rgb(${mix(r)}, ${mix(g)}, ${mix(b)})`;
  }

  draw() {
    const { canvas, player } = this;
    const ratio = window.devicePixelRatio || 1;
    const w = canvas.clientWidth;
    const h = canvas.clientHeight;
    if (!w || !h) return;
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = color("stage");
    g.fillRect(0, 0, w, h);
    const k = Math.min(Math.max(floorIndex(this.t, player.t), 0), this.t.length - 1);
    const span = k + 1 < this.t.length ? this.t[k + 1] - this.t[k] : 0;
    const f = span > 0 ? Math.min(Math.max((player.t - this.t[k]) / span, 0), 1) : 0;
    let [low, high] = this.bounds;
    for (const wall of this.walls) [low, high] = [Math.min(low, wall.position), Math.max(high, wall.position)];
    const margin = 0.06 * (high - low || 1);
    const x = (value) => ((value - low + margin) / (high - low + 2 * margin)) * w;
    const top = h * 0.2;
    const thick = Math.max(h * 0.22, 24);

    let name = null;
    this.each(k, f, (strip, i, strain, left, right) => {
      g.fillStyle = this.strainColor(strain);
      // A little wider, so that no background shines through between the pieces.
      g.fillRect(x(left), top, x(right) - x(left) + (i + 2 < strip.at.length ? 0.6 : 0), thick);
      if (strip.name !== name) {
        name = strip.name;
        g.fillStyle = color("faint");
        g.font = "12px system-ui, sans-serif";
        g.textAlign = "left";
        g.fillText(name, x(left) + 2, top - 8);
      }
    });
    this.outline(g, k, f, x, top, thick);
    g.strokeStyle = g.fillStyle = color("wall");
    g.lineWidth = 3;
    for (const wall of this.walls) {
      g.beginPath();
      g.moveTo(x(wall.position), top - 16);
      g.lineTo(x(wall.position), top + thick + 16);
      g.stroke();
    }
    this.paths(g, k, f, x, top + thick + 20, h - 24);
    this.legend(g, w, h);
  }
  outline(g, k, f, x, top, thick) {
    const ends = this.tips(k, f);
    g.strokeStyle = color("faint");
    g.lineWidth = 1;
    for (const [a, b] of ends) g.strokeRect(x(a), top, x(b) - x(a), thick);
  }
  /** [left, right] of every strip at frame k + f. */
  tips(k, f) {
    const all = [];
    this.each(k, f, (strip, i, strain, left, right) => {
      if (i === 0) all.push([left, right]);
      else all[all.length - 1][1] = right;
    });
    return all;
  }
  /** The paths of the tips: time downwards, now at the top. */
  paths(g, k, f, x, top, bottom) {
    if (this.trail === "none" || bottom - top < 20) return;
    const length = this.trail === "all" ? this.player.t : 3 * this.player.speed * (this.trail === "long" ? 6 : 1);
    const first = Math.max(floorIndex(this.t, this.player.t - length), 0);
    const stride = Math.max(Math.floor((k - first) / 400), 1);
    const y = (t) => top + ((this.player.t - t) / (length || 1)) * (bottom - top);
    const lines = this.strips.map(() => [[], []]);
    const put = (frame, part, t) => this.tips(frame, part).forEach((ends, b) => ends.forEach((e, s) => lines[b][s].push([x(e), y(t)])));
    for (let i = first; i <= k; i += stride) put(i, 0, this.t[i]);
    put(k, f, this.player.t);
    g.strokeStyle = color("faint");
    g.lineWidth = 1.2;
    for (const line of lines.flat()) {
      g.beginPath();
      line.forEach(([a, b], i) => g[i ? "lineTo" : "moveTo"](a, b));
      g.stroke();
    }
  }
  legend(g, w, h) {
    const [wide, y] = [Math.min(160, w * 0.35), h - 16];
    const left = w - wide - 44;
    for (let i = 0; i < wide; i++) {
      g.fillStyle = this.strainColor(this.largest * ((2 * i) / wide - 1));
      g.fillRect(left + i, y, 1.5, 8);
    }
    g.fillStyle = color("faint");
    g.font = "11px system-ui, sans-serif";
    g.textAlign = "right";
    g.fillText(`strain ${short(-this.largest, 3)}`, left - 4, y + 8);
    g.textAlign = "left";
    g.fillText(short(this.largest, 3), left + wide + 4, y + 8);
  }
}
