// The motion in the plane, on a canvas.
import { numbers, floorIndex } from "./data.js";
import { contour } from "./contour.js";
import { Frames } from "./frames.js";
import { color, isDark, onTheme, seriesColor } from "./theme.js";
import { evenTicks } from "./format.js";

export class View2d {
  constructor(canvas, motion, player, impactTimes) {
    this.canvas = canvas;
    this.player = player;
    this.impacts = impactTimes;
    this.frames = new Frames(motion);
    this.boundary = motion.boundary ?? { walls: [], hidden: [] };
    if (this.boundary.grid) this.region = contour(this.boundary.grid, numbers(this.boundary.grid.values));
    const [x0, y0, , x1, y1] = motion.bounds;
    this.box = [x0, y0, x1, y1];
    const size = this.bodySize();
    // A body that travels far is followed; otherwise the whole motion fits.
    const width = x1 - x0;
    const height = y1 - y0;
    const far = (long, wide) => Math.max(wide, size) > 0 && long > 4 * Math.max(wide, 2 * size);
    this.follow = far(width, height) || far(height, width);
    this.trail = "short";
    this.zoom = 1;
    this.shift = [0, 0];
    new ResizeObserver(() => this.draw()).observe(canvas);
    onTheme(() => this.draw());
    player.on(() => this.draw());
    this.listen();
  }

  bodySize() {
    let size = 0;
    for (const s of this.frames.shapes) {
      if (s.radius !== undefined) size = Math.max(size, 2 * this.frames.now(s.radius));
      for (const v of s.vertices ?? []) size = Math.max(size, 2 * Math.hypot(...this.frames.point(v)));
      for (const r of s.size ?? []) size = Math.max(size, this.frames.now(r));
    }
    return size;
  }

  reset() {
    this.zoom = 1;
    this.shift = [0, 0];
    this.draw();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && document.activeElement !== canvas) return;
      e.preventDefault();
      this.zoom = Math.min(Math.max(this.zoom * Math.exp(-e.deltaY / 300), 0.2), 200);
      this.draw();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      let [x, y] = [e.clientX, e.clientY];
      const move = (m) => {
        this.shift[0] -= (m.clientX - x) / this.scale;
        this.shift[1] += (m.clientY - y) / this.scale;
        [x, y] = [m.clientX, m.clientY];
        this.draw();
      };
      canvas.addEventListener("pointermove", move);
      canvas.addEventListener("pointerup", () => canvas.removeEventListener("pointermove", move), { once: true });
    });
    canvas.addEventListener("dblclick", () => this.reset());
  }

  /** Where the middle of the picture is, and how many pixels a unit has. */
  camera(w, h) {
    let [x0, y0, x1, y1] = this.box;
    const body = Math.max(this.bodySize(), 1e-9);
    if (this.follow) {
      const refs = this.frames.shapes.map((s) => this.frames.tracked(s)).find(Boolean);
      const [x, y] = refs ? this.frames.point(refs) : [0, 0];
      if (x1 - x0 > y1 - y0) {
        const reach = Math.max((y1 - y0) * 0.8, 2 * body);
        [x0, x1] = [x - reach, x + reach];
      } else {
        const reach = Math.max((x1 - x0) * 0.8, 2 * body);
        [y0, y1] = [y - reach, y + reach];
      }
    }
    const span = Math.max(x1 - x0, y1 - y0, body, 1e-9);
    const width = Math.max(x1 - x0, 0.15 * span) * 1.14;
    const height = Math.max(y1 - y0, 0.3 * span) * 1.2;
    this.scale = Math.min(w / width, h / height) * this.zoom;
    this.centre = [(x0 + x1) / 2 + this.shift[0], (y0 + y1) / 2 + this.shift[1]];
  }

  draw() {
    const { canvas, frames, player } = this;
    const ratio = window.devicePixelRatio || 1;
    const w = canvas.clientWidth;
    const h = canvas.clientHeight;
    if (!w || !h) return;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    const g = canvas.getContext("2d");
    this.g = g;
    frames.at(player.t);
    this.camera(w, h);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = color("stage");
    g.fillRect(0, 0, w, h);
    this.grid(g, w, h);
    const world = () => {
      g.setTransform(ratio * this.scale, 0, 0, -ratio * this.scale,
        ratio * (w / 2 - this.centre[0] * this.scale), ratio * (h / 2 + this.centre[1] * this.scale));
      g.lineWidth = 1 / this.scale;
    };
    world();
    this.walls(g, w, h);
    frames.shapes.forEach((s, i) => this.trailOf(g, s, i));
    this.impactMarks(g);
    frames.shapes.forEach((s, i) => this.shape(g, s, i));
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.labels(g, w, h);
  }

  ticks(low, high, pixels) {
    return evenTicks(low, high, pixels / 90);
  }
  edges(w, h) {
    const [x, y] = this.centre;
    return [x - w / 2 / this.scale, x + w / 2 / this.scale, y - h / 2 / this.scale, y + h / 2 / this.scale];
  }
  toPixel(x, y, w, h) {
    return [w / 2 + (x - this.centre[0]) * this.scale, h / 2 - (y - this.centre[1]) * this.scale];
  }
  grid(g, w, h) {
    const [x0, x1, y0, y1] = this.edges(w, h);
    g.strokeStyle = color("grid");
    g.lineWidth = 1;
    g.beginPath();
    for (const x of this.ticks(x0, x1, w).values) {
      const p = Math.round(this.toPixel(x, 0, w, h)[0]) + 0.5;
      g.moveTo(p, 0);
      g.lineTo(p, h);
    }
    for (const y of this.ticks(y0, y1, h).values) {
      const p = Math.round(this.toPixel(0, y, w, h)[1]) + 0.5;
      g.moveTo(0, p);
      g.lineTo(w, p);
    }
    g.stroke();
  }
  labels(g, w, h) {
    const [x0, x1, y0, y1] = this.edges(w, h);
    g.fillStyle = color("faint");
    g.font = "11px system-ui, sans-serif";
    g.textAlign = "center";
    const across = this.ticks(x0, x1, w);
    across.values.forEach((x, i) => {
      const p = this.toPixel(x, 0, w, h)[0];
      if (p > 40 && p < w - 20) g.fillText(across.texts[i], p, h - 6);
    });
    g.textAlign = "left";
    const up = this.ticks(y0, y1, h);
    up.values.forEach((y, i) => {
      const p = this.toPixel(0, y, w, h)[1];
      if (p > 14 && p < h - 20) g.fillText(up.texts[i], 6, p - 3);
    });
  }

  hatch(g) {
    const key = `${isDark()}`;
    if (this.hatchKey !== key) {
      const tile = document.createElement("canvas");
      tile.width = tile.height = 16;
      const c = tile.getContext("2d");
      c.fillStyle = color("solid");
      c.fillRect(0, 0, 16, 16);
      c.strokeStyle = color("hatch");
      c.lineWidth = 1.4;
      c.beginPath();
      for (const d of [-16, 0, 16]) {
        c.moveTo(d - 2, 18);
        c.lineTo(d + 18, -2);
      }
      c.stroke();
      this.tile = tile;
      this.hatchKey = key;
    }
    const pattern = g.createPattern(this.tile, "repeat");
    // The lines of the hatching keep their width on the screen, and move with the ground.
    pattern.setTransform(new DOMMatrix().scale(0.5 / this.scale, 0.5 / this.scale));
    return pattern;
  }
  walls(g, w, h) {
    const [x0, x1, y0, y1] = this.edges(w, h);
    const reach = 2 * Math.hypot(x1 - x0, y1 - y0);
    g.fillStyle = this.hatch(g);
    g.strokeStyle = color("wall");
    for (const { n, c: offset } of this.boundary.walls) {
      const c = this.frames.now(offset);
      const d = n[0] * this.centre[0] + n[1] * this.centre[1] + c;
      const foot = [this.centre[0] - d * n[0], this.centre[1] - d * n[1]];
      const a = [foot[0] - n[1] * reach, foot[1] + n[0] * reach];
      const b = [foot[0] + n[1] * reach, foot[1] - n[0] * reach];
      if (Math.hypot(n[0], n[1]) < 1e-9) continue;
      g.beginPath();
      g.moveTo(...a);
      g.lineTo(...b);
      g.lineTo(b[0] - n[0] * reach, b[1] - n[1] * reach);
      g.lineTo(a[0] - n[0] * reach, a[1] - n[1] * reach);
      g.fill();
      g.beginPath();
      g.moveTo(...a);
      g.lineTo(...b);
      g.lineWidth = 2 / this.scale;
      g.stroke();
    }
    if (this.region) {
      g.fill(this.region.outside);
      g.lineWidth = 2 / this.scale;
      g.lineCap = "round";
      g.stroke(this.region.border);
    }
  }

  tint(shape, i) {
    return shape.color || seriesColor(i);
  }
  trailOf(g, shape, index) {
    const { frames, player } = this;
    const refs = frames.tracked(shape);
    if (!refs || this.trail === "none") return;
    const length = this.trail === "all" ? Infinity : 3 * player.speed * (this.trail === "long" ? 6 : 1);
    const first = Math.max(floorIndex(frames.t, player.t - length), 0);
    const last = frames.i;
    const stride = Math.max(Math.floor((last - first) / 30000), 1);
    const pieces = this.trail === "all" ? 1 : 24;
    g.lineWidth = (this.trail === "all" ? 1 : 2) / this.scale;
    g.strokeStyle = this.tint(shape, index);
    g.lineJoin = g.lineCap = "round";
    for (let piece = 0; piece < pieces; piece++) {
      const from = Math.round(first + ((last - first) * piece) / pieces);
      const to = Math.round(first + ((last - first) * (piece + 1)) / pieces);
      g.globalAlpha = this.trail === "all" ? 0.5 : 0.05 + (0.75 * (piece + 1)) / pieces;
      g.beginPath();
      g.moveTo(frames.then(refs[0], from), frames.then(refs[1], from));
      for (let k = from + stride; k <= to; k += stride) g.lineTo(frames.then(refs[0], k), frames.then(refs[1], k));
      if (piece === pieces - 1) g.lineTo(...frames.point(refs).slice(0, 2));
      g.stroke();
    }
    g.globalAlpha = 1;
  }
  /** Where bodies touch a wall at frame i; where none does, the first thing that moves. */
  contacts(i) {
    const { frames } = this;
    const at = (refs) => refs.slice(0, 2).map((r) => frames.then(r, i));
    const touching = [];
    let moving = null;
    for (const s of frames.shapes) {
      const centre = s.position ? at(s.position) : [0, 0];
      const angle = s.angle === undefined ? 0 : frames.then(s.angle, i);
      const [c, d] = [Math.cos(angle), Math.sin(angle)];
      const radius = s.radius === undefined ? 0 : frames.then(s.radius, i);
      const turned = ([x, y]) => [centre[0] + c * x - d * y, centre[1] + d * x + c * y];
      let points = [centre];
      if (s.vertices) points = s.vertices.map((v) => turned(at(v)));
      else if (s.from) points = [at(s.from), at(s.to)];
      else if (s.size) {
        const [a, b] = at(s.size);
        points = [[-a, -b], [a, -b], [a, b], [-a, b]].map(([x, y]) => turned([x / 2, y / 2]));
      }
      for (const [x, y] of points)
        for (const { n, c: ref } of this.boundary.walls) {
          const offset = frames.then(ref, i);
          const distance = n[0] * x + n[1] * y + offset;
          if (Math.abs(distance - radius) * this.scale < 0.5) touching.push([x - distance * n[0], y - distance * n[1]]);
        }
      const refs = frames.tracked(s);
      if (refs) moving ??= at(refs);
    }
    return touching.length ? touching : moving ? [moving] : [];
  }
  /** A ring where an impact has just been, widening. */
  impactMarks(g) {
    const { player, frames } = this;
    const span = 0.5 * player.speed;
    for (let k = floorIndex(this.impacts, player.t); k >= 0 && this.impacts[k] > player.t - span; k--) {
      const age = (player.t - this.impacts[k]) / span;
      const i = floorIndex(frames.t, this.impacts[k]);
      if (i < 0) continue;
      g.globalAlpha = 1 - age;
      g.strokeStyle = color("impact");
      g.lineWidth = 2 / this.scale;
      for (const [x, y] of this.contacts(i)) {
        g.beginPath();
        g.arc(x, y, (6 + 16 * age) / this.scale, 0, 2 * Math.PI);
        g.stroke();
      }
    }
    g.globalAlpha = 1;
  }

  shape(g, s, index) {
    const f = this.frames;
    const tint = this.tint(s, index);
    g.fillStyle = tint;
    g.strokeStyle = tint;
    g.lineWidth = 2 / this.scale;
    const angle = f.now(s.angle);
    const local = (draw) => {
      g.save();
      if (s.position) g.translate(...f.point(s.position).slice(0, 2));
      g.rotate(angle);
      draw();
      g.restore();
    };
    const body = () => {
      g.globalAlpha = 0.28;
      g.fill();
      g.globalAlpha = 1;
      g.stroke();
    };
    const dot = (x, y, pixels) => {
      g.beginPath();
      g.arc(x, y, pixels / this.scale, 0, 2 * Math.PI);
      g.fill();
    };
    switch (s.type) {
      case "polygon":
        local(() => {
          g.lineJoin = "round";
          g.beginPath();
          s.vertices.forEach((v, k) => g[k ? "lineTo" : "moveTo"](...f.point(v).slice(0, 2)));
          g.closePath();
          body();
          dot(0, 0, 2.5);
        });
        break;
      case "box":
        local(() => {
          const [a, b] = f.point(s.size);
          g.beginPath();
          g.rect(-a / 2, -b / 2, a, b);
          body();
        });
        break;
      case "circle":
      case "sphere":
        local(() => {
          const r = f.now(s.radius);
          g.beginPath();
          g.arc(0, 0, r, 0, 2 * Math.PI);
          body();
          if (s.angle !== undefined) {
            g.beginPath();
            g.moveTo(0, 0);
            g.lineTo(r, 0);
            g.stroke();
          }
        });
        break;
      case "segment":
        g.lineCap = "round";
        g.lineWidth = 3 / this.scale;
        g.beginPath();
        g.moveTo(...f.point(s.from).slice(0, 2));
        g.lineTo(...f.point(s.to).slice(0, 2));
        g.stroke();
        break;
      case "capsule": {
        const [[x0, y0], [x1, y1], r] = [f.point(s.from), f.point(s.to), f.now(s.radius)];
        const along = Math.atan2(y1 - y0, x1 - x0);
        g.beginPath();
        g.arc(x1, y1, r, along - Math.PI / 2, along + Math.PI / 2);
        g.arc(x0, y0, r, along + Math.PI / 2, along + (3 * Math.PI) / 2);
        g.closePath();
        body();
        break;
      }
      case "body":
        local(() => {
          const a = 26 / this.scale;
          for (const [dx, dy] of [[a, 0], [0, a]]) {
            g.beginPath();
            g.moveTo(0, 0);
            g.lineTo(dx, dy);
            g.stroke();
          }
          dot(0, 0, 6);
        });
        break;
      default:
        dot(...f.point(s.position).slice(0, 2), 6.5);
        g.strokeStyle = color("stage");
        g.lineWidth = 1.5 / this.scale;
        g.stroke();
    }
  }
}
