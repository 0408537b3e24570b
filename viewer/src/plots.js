// Plots over time, linked: one range, one cursor, one present moment.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { nearestIndex } from "./data.js";
import { download, element, evenTicks, fileName, short, tickTexts } from "./format.js";
import { color, onTheme, seriesColor } from "./theme.js";

/** The part of time that all plots show; null is everything. */
export class Range {
  constructor() {
    this.now = null;
    this.listeners = new Set();
  }
  on(f) {
    this.listeners.add(f);
  }
  set(range) {
    const same = range === this.now || (range && this.now && range[0] === this.now[0] && range[1] === this.now[1]);
    if (same) return;
    this.now = range;
    this.listeners.forEach((f) => f());
  }
}

/** What does not change at all is a line in the middle. */
function flatRange(u, low, high) {
  if (low === null || low === undefined) return [-1, 1];
  if (low === high) return [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
  return uPlot.rangeNum(low, high, 0.08, true);
}

const font = "11px system-ui, sans-serif";
let ruler;
/** How wide the widest of some labels is, in pixels. */
function widest(texts) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = font;
  return Math.max(...(texts ?? []).map((text) => ruler.measureText(text ?? "").width), 0);
}

const withGaps = (values) => Array.from(values, (x) => (Number.isFinite(x) ? x : null));

export function card(title, note, tools, ...content) {
  return element("section", { class: "card", "aria-label": title },
    element("div", { class: "head" }, element("h2", {}, title), element("span", { class: "tools" }, ...tools)),
    note ? element("p", { class: "note" }, note) : null, ...content);
}

export function csv(names, columns) {
  const quote = (s) => (/[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
  const lines = [names.map(quote).join(",")];
  for (let i = 0; i < columns[0].length; i++) lines.push(columns.map((c) => c[i] ?? "").join(","));
  return lines.join("\n") + "\n";
}

export function savePng(canvas, name) {
  const copy = element("canvas", { width: canvas.width, height: canvas.height });
  const g = copy.getContext("2d");
  g.fillStyle = color("card");
  g.fillRect(0, 0, copy.width, copy.height);
  g.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => download(`${name}.png`, blob));
}

export class TimePlot {
  /** spec: {title, note, series: [{name, values}], log: can be logarithmic, points: marks instead of lines} */
  constructor(spec, t, player, range, sync, run) {
    Object.assign(this, { spec, t, player, range });
    this.log = spec.startLog ?? false;
    this.host = element("div", { class: "plot" });
    const tools = [
      element("button", { "aria-label": `${spec.title} as PNG`, title: "Download the picture", onclick: () => savePng(this.plot.ctx.canvas, fileName(run, spec.title)) }, "PNG"),
      element("button", {
        "aria-label": `${spec.title} as CSV`, title: "Download the numbers",
        onclick: () => download(`${fileName(run, spec.title)}.csv`, csv(["t", ...spec.series.map((s) => s.name)], [t, ...spec.series.map((s) => s.values)]), "text/csv"),
      }, "CSV"),
    ];
    if (spec.log) {
      this.logButton = element("button", {
        "aria-pressed": String(this.log), "aria-label": `${spec.title} on a logarithmic axis`, title: "Size on a logarithmic axis",
        onclick: () => {
          this.log = !this.log;
          this.logButton.setAttribute("aria-pressed", String(this.log));
          this.build();
        },
      }, "log");
      tools.unshift(this.logButton);
    }
    this.card = card(spec.title, spec.note, tools, this.host);
    this.sync = sync;
    new ResizeObserver(() => this.resize()).observe(this.host);
    onTheme(() => this.build());
    range.on(() => this.applyRange());
    player.on(() => this.mark());
  }

  data() {
    const values = this.spec.series.map((s) =>
      this.log ? Array.from(s.values, (x) => (x !== 0 && Number.isFinite(x) ? Math.abs(x) : null)) : withGaps(s.values));
    return [Array.from(this.t), ...values];
  }

  build() {
    const width = this.host.clientWidth;
    if (!width) return;
    this.plot?.destroy();
    const axis = { stroke: color("faint"), grid: { stroke: color("grid"), width: 1 }, ticks: { stroke: color("grid"), width: 1 }, font };
    const shape = (paint) => (this.spec.points
      ? { paths: () => null, points: { show: true, size: 5, width: 1, stroke: paint, fill: paint } }
      : { points: { show: this.t.length < 80, size: 4 } });
    this.plot = new uPlot({
      width, height: 210,
      cursor: { sync: { key: this.sync.key, setSeries: false }, drag: { x: true, y: false, setScale: true }, points: { size: 7 } },
      legend: { live: true },
      scales: { x: { time: false }, y: this.log ? { distr: 3, log: 10 } : { range: flatRange } },
      axes: [
        {
          ...axis, size: 30, values: (u, v, i, space, step) => tickTexts(v, step),
          space: (u, i, low, high, pixels) => Math.max(60, widest(evenTicks(low, high, pixels / 60).texts) + 20),
        },
        {
          ...axis, size: (u, texts) => Math.max(76, widest(texts) + 20),
          values: (u, v, i, space, step) =>
            (this.log ? v.map((x) => (x === null ? null : short(x, 4))) : tickTexts(v, step)),
        },
      ],
      series: [
        { label: "t", value: (u, x) => short(x, 7) },
        ...this.spec.series.map((s, i) => {
          const paint = seriesColor(s.color ?? i);
          return {
            label: s.name, stroke: paint, width: 1.4, dash: s.dash, spanGaps: false,
            fill: this.spec.points ? paint : undefined, value: (u, x) => short(x, 7), ...shape(paint),
          };
        }),
      ],
      hooks: {
        // Inside setScale the other plots must not be touched: they would end up without scales.
        setScale: [(u, key) => {
          if (key !== "x" || u !== this.plot) return;
          queueMicrotask(() => this.report());
        }],
        draw: [(u) => this.drawNow(u)],
        ready: [(u) => {
          u.over.addEventListener("click", (e) => {
            if (e.detail === 1 && u.select.width < 2) this.player.seek(u.posToVal(e.offsetX, "x"));
          });
          u.over.addEventListener("dblclick", () => this.range.set(null));
        }],
      },
    }, this.data(), this.host);
    this.applyRange();
  }

  full() {
    return [this.spec.from ?? 0, this.spec.to];
  }
  report() {
    const { min, max } = this.plot.scales.x;
    if (min === null || max === null || min === undefined) return;
    const [a, b] = this.full();
    const all = min <= a && max >= b;
    this.range.set(all ? null : [min, max]);
  }
  applyRange() {
    if (!this.plot) return;
    const [min, max] = this.range.now ?? this.full();
    const now = this.plot.scales.x;
    if (now.min === min && now.max === max) return;
    this.plot.batch(() => this.plot.setScale("x", { min, max }));
  }
  resize() {
    const width = this.host.clientWidth;
    if (!width) return;
    if (!this.plot) this.build();
    else if (this.plot.width !== width) this.plot.setSize({ width, height: 210 });
  }
  /** The present moment: a line over the plot, moved without drawing the plot again. */
  mark() {
    if (!this.plot) return;
    this.line ??= element("div", { class: "now", "aria-hidden": "true" });
    if (this.line.parentNode !== this.plot.over) this.plot.over.append(this.line);
    const x = this.plot.valToPos(this.player.t, "x");
    this.line.style.display = x >= 0 && x <= this.plot.over.clientWidth ? "" : "none";
    this.line.style.transform = `translateX(${x}px)`;
  }
  drawNow() {
    queueMicrotask(() => this.mark());
  }
}

/** Any quantity against any other. */
export class PhasePlot {
  constructor(sources, player, run) {
    this.sources = sources;
    this.player = player;
    this.canvas = element("canvas", { class: "phase", tabindex: "0", role: "img", "aria-label": "Phase plot" });
    this.note = element("p", { class: "note" });
    const select = (label, onchange) => element("select", { "aria-label": label, onchange });
    this.source = select("Rows of the phase plot", () => this.fill());
    this.x = select("Horizontal quantity", () => this.draw());
    this.y = select("Vertical quantity", () => this.draw());
    sources.forEach((s, i) => this.source.append(element("option", { value: i }, s.title)));
    const save = element("button", { "aria-label": "Phase plot as PNG", onclick: () => savePng(this.canvas, fileName(run, "phase")) }, "PNG");
    const numbers = element("button", {
      "aria-label": "Phase plot as CSV",
      onclick: () => {
        const s = this.current();
        download(`${fileName(run, "phase")}.csv`, csv([s.names[this.x.value], s.names[this.y.value]], [s.columns[this.x.value], s.columns[this.y.value]]), "text/csv");
      },
    }, "CSV");
    this.readout = element("span", { class: "readout" });
    this.card = card("Phase plot", null, [save, numbers],
      element("div", { class: "choices" }, this.y, element("span", {}, "against"), this.x, sources.length > 1 ? this.source : null, this.readout), this.note, this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onTheme(() => this.draw());
    player.on(() => this.draw());
    this.zoom = null;
    this.canvas.addEventListener("pointermove", (e) => this.hover(e));
    this.canvas.addEventListener("dblclick", () => { this.zoom = null; this.draw(); });
    this.canvas.addEventListener("pointerdown", (e) => { this.drag = [e.offsetX, e.offsetY]; });
    this.canvas.addEventListener("pointerup", (e) => this.endDrag(e));
    this.fill();
  }
  current() {
    return this.sources[this.source.value || 0];
  }
  fill() {
    const s = this.current();
    const [x, y] = s.start;
    for (const [menu, start] of [[this.x, x], [this.y, y]]) {
      const keep = menu.selectedOptions[0]?.textContent;
      menu.replaceChildren(...s.names.map((name, i) => element("option", { value: i }, name)));
      menu.value = String(keep && s.names.includes(keep) ? s.names.indexOf(keep) : start);
    }
    this.note.textContent = s.note;
    this.draw();
  }
  bounds(values) {
    let low = Infinity;
    let high = -Infinity;
    for (const v of values) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
    if (!(high >= low)) return [0, 1];
    const pad = (high - low || Math.abs(high) || 1) * 0.06;
    return [low - pad, high + pad];
  }
  endDrag(e) {
    const [x, y] = this.drag ?? [0, 0];
    this.drag = null;
    if (Math.abs(e.offsetX - x) < 8 || Math.abs(e.offsetY - y) < 8) return;
    const [a, b] = [this.value(x, y), this.value(e.offsetX, e.offsetY)];
    this.zoom = [Math.min(a[0], b[0]), Math.max(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[1], b[1])];
    this.draw();
  }
  value(px, py) {
    const [x0, x1, y0, y1] = this.view;
    return [x0 + ((px - this.left) / (this.w - this.left - 12)) * (x1 - x0), y1 - ((py - 10) / (this.h - 38)) * (y1 - y0)];
  }
  hover(e) {
    if (!this.view) return;
    const [x, y] = this.value(e.offsetX, e.offsetY);
    this.readout.textContent = `${short(x)}, ${short(y)}`;
  }
  draw() {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const w = (this.w = canvas.clientWidth);
    const h = (this.h = canvas.clientHeight);
    if (!w || this.x.value === "") return;
    const s = this.current();
    const X = s.columns[this.x.value];
    const Y = s.columns[this.y.value];
    const key = [this.source.value, this.x.value, this.y.value].join();
    if (this.key !== key) {
      this.key = key;
      this.all = [...this.bounds(X), ...this.bounds(Y)];
      this.zoom = null;
    }
    this.view = this.zoom ?? this.all;
    const [x0, x1, y0, y1] = this.view;
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    const up = evenTicks(y0, y1, h / 50);
    const left = (this.left = Math.max(58, widest(up.texts) + 14));
    const across = evenTicks(x0, x1, Math.min(w / 90, w / (widest(evenTicks(x0, x1, w / 90).texts) + 20)));
    const px = (x) => left + ((x - x0) / (x1 - x0)) * (w - left - 12);
    const py = (y) => 10 + ((y1 - y) / (y1 - y0)) * (h - 38);
    g.strokeStyle = color("grid");
    g.fillStyle = color("faint");
    g.font = font;
    g.beginPath();
    g.textAlign = "center";
    across.values.forEach((x, i) => {
      g.moveTo(px(x), 10);
      g.lineTo(px(x), h - 28);
      g.fillText(across.texts[i], px(x), h - 12);
    });
    g.textAlign = "right";
    up.values.forEach((y, i) => {
      g.moveTo(left, py(y));
      g.lineTo(w - 12, py(y));
      g.fillText(up.texts[i], left - 6, py(y) + 4);
    });
    g.stroke();
    g.save();
    g.beginPath();
    g.rect(left, 10, w - left - 12, h - 38);
    g.clip();
    g.strokeStyle = g.fillStyle = seriesColor(0);
    if (s.line) {
      g.globalAlpha = 0.8;
      g.lineWidth = 1.2;
      g.beginPath();
      for (let i = 0; i < X.length; i++) g.lineTo(px(X[i]), py(Y[i]));
      g.stroke();
    } else {
      g.globalAlpha = X.length > 4000 ? 0.45 : 0.8;
      const r = X.length > 4000 ? 1.2 : 2;
      for (let i = 0; i < X.length; i++) g.fillRect(px(X[i]) - r / 2, py(Y[i]) - r / 2, r, r);
    }
    g.globalAlpha = 1;
    if (s.t && s.t.length) {
      const i = nearestIndex(s.t, this.player.t);
      g.fillStyle = color("impact");
      g.beginPath();
      g.arc(px(X[i]), py(Y[i]), 4.5, 0, 2 * Math.PI);
      g.fill();
    }
    g.restore();
  }
}
