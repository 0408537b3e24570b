// The page of a run: what happened, in words, in motion and in plots.
import uPlot from "uplot";
import "./style.css";
import { extremes, foremost, impactSeries } from "./choose.js";
import { floorIndex, numbers, readPayload, whole } from "./data.js";
import { counted, download, element, fileName, grouped, short, unbroken, wholeOrOne } from "./format.js";
import { Player } from "./player.js";
import { PhasePlot, Range, TimePlot, savePng } from "./plots.js";
import { toggleTheme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { View2d } from "./view2d.js";
import { View3d } from "./view3d.js";
import { ViewStrips } from "./viewstrips.js";
import { ViewSweeps } from "./viewsweeps.js";

const data = readPayload();
const app = document.getElementById("app");

if (typeof data !== "object") {
  app.append(element("p", {}, "This is the page without a run: ricochet fills it."));
} else {
  show();
}

function show() {
  const run = data.name || data.title;
  const impacts = {
    ...data.impacts,
    t: numbers(data.impacts.t), n: numbers(data.impacts.n), gap: numbers(data.impacts.gap),
    multiplier: numbers(data.impacts.multiplier), before: numbers(data.impacts.before), after: numbers(data.impacts.after),
    columns: data.impacts.columns.map(numbers),
  };
  const player = new Player(data.t_end, impacts.t);
  const range = new Range();
  app.append(header(), facts());
  const phase = new PhasePlot(phaseSources(impacts), player, run);
  const controls = transport(player, range, impacts);
  if (data.motion) app.append(stage(player, impacts, run, controls));
  else {
    phase.card.classList.add("main-phase");
    app.append(phase.card, element("section", { class: "card view", "aria-label": "Time" }, controls.bar));
  }
  const grid = element("div", { class: "grid" });
  const sync = uPlot.sync("time");
  for (const spec of timePlots(impacts)) grid.append(new TimePlot(spec, spec.t, player, range, sync, run).card);
  if (data.motion) grid.append(phase.card);
  app.append(...[grid, keys(), scene()].filter(Boolean), element("footer", {}, `ricochet ${data.version}. This file holds everything it shows and asks for nothing.`));
  keyboard(player, range);
  window.ricochet = { player, range, data };
}

function header() {
  const label = { finished: "finished", failed: "failed", interrupted: "interrupted" }[data.status] ?? "unfinished";
  return element("header", {},
    element("h1", {}, data.title), element("span", { class: `badge ${label}` }, label),
    element("button", { id: "theme", "aria-label": "Light or dark", title: "Light or dark (T)", onclick: toggleTheme }, "◐ theme"),
    data.description ? element("p", { class: "words" }, data.description) : null,
    element("p", { class: "words", id: "words" }, unbroken(data.words.join(" "))));
}

/** What forces, impact laws and moving walls did to the energy; empty where they left it alone. */
function energyWork() {
  const s = data.summary;
  if (!s) return [];
  return [
    ["Energy supplied", s.energy_supplied, "by forces and by what drives the potential"],
    ["Energy dissipated", s.energy_dissipated, "by impacts and friction"],
    ["Work of moving walls", s.wall_work, "on the system, at impacts and in contact"],
  ].filter(([, work]) => Math.abs(work) > 1e-12 * (data.energy_scale ?? 1));
}

/** Where the energy has reasons to change, its change is no error: what the reasons do not account for is. */
function energyFacts(fact) {
  const s = data.summary;
  const work = energyWork();
  if (!work.length) {
    fact("Energy error, relative", short(s.energy.max_relative_error, 4), "the largest of the run");
    fact("Discrete energy error", short(s.discrete_energy.max_relative_error, 4), "the largest of the run, relative");
    return;
  }
  fact("Energy change, relative", short(s.energy.max_relative_error, 4), "the largest of the run");
  for (const [name, value, title] of work) fact(name, short(value, 4), title);
  const off = Number.isFinite(s.balance_error) ? Math.abs(s.balance_error) / (data.energy_scale ?? 1) : s.balance_error;
  fact("Energy balance error", short(off, 4), "relative: what work does not account for, at the end");
}

function facts() {
  const list = element("dl", { class: "facts" });
  const fact = (name, value, title) => list.append(element("div", { title }, element("dt", {}, name), element("dd", {}, value)));
  const s = data.summary;
  if (!s) {
    fact("Frames", grouped(data.plots.rows));
    fact("Impacts", grouped(data.impacts.total));
    fact("Last time", short(data.t_end));
    return list;
  }
  fact("Rule", s.rule);
  fact(data.motion?.dimension === 1 ? "Contact" : "Closure", s.closure);
  fact("Steps", grouped(s.steps));
  fact("Impacts", grouped(s.impacts));
  energyFacts(fact);
  const every = Object.entries(s.momentum);
  const size = ([, m]) => (Number.isFinite(m.max_error) ? m.max_error : Infinity);
  const momentum = foremost(every, 3, (entry) => -size(entry));
  for (const [name, m] of momentum) fact(momentum.length > 1 ? `Momentum error: ${name}` : "Momentum error", short(m.max_error, 4), name);
  const rest = every.filter((entry) => !momentum.includes(entry));
  if (rest.length)
    fact("Other momentum errors", `at most ${short(Math.max(...rest.map(size)), 4)}`,
      rest.map(([name]) => name).join(", "));
  fact("Smallest gap", s.min_gap === null ? "no gaps" : short(s.min_gap, 4));
  return list;
}

function transport(player, range, impacts) {
  const line = new Timeline(player, range);
  const play = element("button", { class: "play", id: "play", onclick: () => player.toggle() }, "▶ Play");
  const clock = element("span", { class: "clock", id: "clock" });
  const speed = element("span", { "aria-live": "polite", id: "speed" });
  const info = element("div", { class: "impact", id: "impact", "aria-live": "off" });
  const first = impacts.total === 1 ? "the only impact" : `the first of ${counted(impacts.total, "impact")}`;
  const before = impacts.total ? `before ${first}` : "no impacts";
  const row = element("div", { class: "controls" },
    play,
    element("button", { "aria-label": "Previous impact", title: "Previous impact (P)", onclick: () => jump(player, -1) }, "⇤ impact"),
    element("button", { "aria-label": "Next impact", title: "Next impact (N)", onclick: () => jump(player, 1) }, "impact ⇥"),
    clock, element("span", { class: "space" }),
    element("button", { "aria-label": "Slower", title: "Slower (−)", onclick: () => player.changeSpeed(-1) }, "−"), speed,
    element("button", { "aria-label": "Faster", title: "Faster (+)", onclick: () => player.changeSpeed(1) }, "+"));
  player.on(() => {
    play.textContent = player.playing ? "❚❚ Pause" : "▶ Play";
    play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    clock.textContent = `t = ${player.t.toFixed(player.end < 20 ? 3 : 2)} of ${short(player.end)}`;
    speed.textContent = `${short(player.speed)}×`;
    const i = floorIndex(impacts.t, player.t);
    info.replaceChildren();
    if (i < 0) info.textContent = before;
    else
      info.append(element("b", {}, `impact ${grouped(impacts.n[i])}`), ` of ${grouped(impacts.total)} at t = ${short(impacts.t[i], 8)} · ${impacts.gaps[impacts.gap[i]]} · λ = ${short(impacts.multiplier[i])} · energy ${short(impacts.before[i], 8)} → ${short(impacts.after[i], 8)}`);
  });
  const marked = `Of ${grouped(impacts.total)} impacts one in ${grouped(impacts.every)} is marked; impacts.csv has all.`;
  const note = impacts.every > 1 ? element("div", { class: "note" }, marked) : null;
  return { row, bar: element("div", { class: "bar" }, line.canvas, row, info, note) };
}

function jump(player, direction) {
  const t = player.impacts;
  const tiny = player.end * 1e-12;
  const i = direction > 0 ? floorIndex(t, player.t + tiny) + 1 : floorIndex(t, player.t - tiny - Number.EPSILON * player.t);
  if (i >= 0 && i < t.length) player.seek(t[i]);
}

function stage(player, impacts, run, controls) {
  const canvas = element("canvas", { id: "stage", tabindex: "0", role: "img", "aria-label": `Animated view: ${data.title}` });
  const section = element("section", { class: "card view", "aria-label": "Motion" }, canvas, controls.bar);
  requestAnimationFrame(() => {
    let view;
    try {
      if (data.motion.dimension === 3) view = new (data.motion.sweeps ? ViewSweeps : View3d)(canvas, data.motion, player);
      else view = new (data.motion.dimension === 1 ? ViewStrips : View2d)(canvas, data.motion, player, impacts.t);
    } catch (error) {
      canvas.replaceWith(element("p", { class: "note", style: "padding: 14px" }, `The view in space needs WebGL, which this browser does not offer (${error.message}).`));
      return;
    }
    const trails = element("select", { "aria-label": "Trail", id: "trail", onchange: (e) => { view.trail = e.target.value; view.draw(); } },
      ...["none", "short", "long", "all"].map((v) => element("option", { value: v, selected: v === "short" }, `trail: ${v}`)));
    const follow = element("button", { id: "follow", "aria-pressed": String(view.follow), onclick: () => {
      view.follow = !view.follow;
      follow.setAttribute("aria-pressed", String(view.follow));
      view.draw();
    } }, "follow");
    controls.row.append(trails, ...(data.motion.dimension === 1 ? [] : [follow]),
      element("button", { "aria-label": "Picture as PNG", onclick: () => savePng(canvas, fileName(run, "motion")) }, "PNG"));
    if (data.motion.guessed || data.motion.boundary?.hidden.length || data.motion.stride > 1) {
      const words = [];
      if (data.motion.guessed) words.push("The scene has no [[shape]]: drawn from the names of its coordinates.");
      if (data.motion.boundary?.hidden.length) words.push(`Not drawn: the boundary of ${data.motion.boundary.hidden.join(", ")}.`);
      if (data.motion.stride > 1)
        words.push(`One frame in ${grouped(data.motion.stride)} is drawn, and every marked impact.`);
      controls.bar.append(element("div", { class: "note" }, words.join(" ")));
    }
  });
  return section;
}

/** Of a run without a summary nobody knows yet whether its energy should stay. */
function energyTitle() {
  if (!data.summary) return "Change of the energy";
  return energyWork().length ? "Relative change of the energy" : "Relative energy error";
}

function timePlots(impacts) {
  const { plots } = data;
  const t = numbers(plots.t);
  const of = (group) => plots.series.filter((s) => s.group === group);
  const note = plots.bucket > 1 ? `decimated from ${grouped(plots.rows)} frames to ${grouped(plots.points)} points; the extremes of every ${grouped(plots.bucket)} frames are kept` : null;
  const frame = { t, from: 0, to: data.t_end, note };
  const notes = (...all) => all.filter(Boolean).join("; ") || null;
  // A plot of series of which only some can be told apart: those of the lowest rank, and a word about the others.
  const some = (list, most, rank, which) => {
    const shown = foremost(list, most, rank);
    return [shown, shown.length < list.length ? `${shown.length} of ${grouped(list.length)}: ${which}` : null];
  };
  const spread = (s) => {
    const [low, high] = extremes(numbers(s.values));
    return high - low;
  };
  const all = [];
  const energy = of("energy");
  if (energy.length && t.length) {
    const scale = [data.energy_scale ?? 1, data.discrete_energy_scale ?? data.energy_scale ?? 1];
    all.push({ ...frame, title: energyTitle(), log: true,
      series: energy.map((s, i) => ({ name: s.name, values: Float64Array.from(numbers(s.values), (x) => x / scale[i]) })) });
    all.push({ ...frame, title: "Energy", series: energy.map((s, i) => ({ name: s.name, values: whole(s.values), dash: i ? [5, 4] : undefined })) });
  }
  const [momentum, momentumLeft] = some(of("momentum"), 16, (s) => -spread(s), "those that change most");
  if (momentum.length && t.length)
    all.push({ ...frame, title: "Momentum maps, change from the start", log: true,
      note: notes(momentumLeft,
        momentum.map((s) => `${s.name} = ${short(s.values.offset ?? 0, 8)} at the start`).join(", "), note),
      series: momentum.map((s) => ({ name: s.name, values: numbers(s.values) })) });
  const smallest = (s) => extremes(whole(s.values))[0];
  const [gaps, gapsLeft] = some(of("gaps"), 16, smallest, "those that come closest to contact");
  if (gaps.length && t.length)
    all.push({ ...frame, title: "Gaps", log: true, note: notes(gapsLeft, note),
      series: gaps.map((s) => ({ name: s.name.slice(4), values: whole(s.values) })) });
  const groups = impacts.gaps.length;
  const named = `7 of ${grouped(groups)} groups of gaps have names: those with the most impacts`;
  if (impacts.t.length)
    all.push({ t: impacts.t, from: 0, to: data.t_end, title: "Multipliers", log: true, points: true,
      note: notes(`λ of ${wholeOrOne(impacts.total, "impact", impacts.every)}`, groups > 8 ? named : null),
      series: impactSeries(impacts.gaps, impacts.gap, impacts.multiplier, 8) });
  for (const [group, title] of [["q", "Coordinates"], ["p", "Momenta"], ["extra", "Further quantities"]]) {
    const [list, left] = some(of(group), 12, (s) => -spread(s), "those that change most");
    if (list.length && t.length)
      all.push({ ...frame, title, note: notes(left, note),
        series: list.map((s) => ({ name: s.unit ? `${s.name} / ${s.unit}` : s.name, values: whole(s.values) })) });
  }
  return all;
}

function phaseSources(impacts) {
  const n = data.coordinates.length;
  const sources = data.samples.filter((s) => s.rows > 0).map((s) => {
    const columns = s.columns.map(whole);
    const trajectory = s.table === "trajectory";
    return {
      title: trajectory ? "along the motion" : s.table, names: s.names, columns, t: columns[0], start: data.motion || !trajectory ? [Math.min(2, n), Math.min(2, n) + n] : [1, Math.min(2, n)],
      line: trajectory && s.stride === 1,
      note: wholeOrOne(s.rows, "row", s.stride),
    };
  });
  if (impacts.t.length)
    sources.push({ title: "at impacts", names: ["t", ...impacts.names, "λ"], columns: [impacts.t, ...impacts.columns, impacts.multiplier], t: impacts.t, start: [1, 1 + 2 * n], line: false,
      note: wholeOrOne(impacts.total, "impact", impacts.every) });
  if (!sources.length)
    sources.push({ title: "nothing recorded", names: ["t"], columns: [[0]], t: [], start: [0, 0], line: false,
      note: data.status === "unfinished" ? "nothing is recorded yet" : "nothing was recorded" });
  return sources;
}

function keys() {
  const key = (k, what) => element("span", {}, element("kbd", {}, k), ` ${what}`);
  return element("details", { class: "card" }, element("summary", {}, "Keys and mouse"),
    element("div", { class: "keys" }, key("Space", "play, pause"), key("← →", "step (Shift: ten)"), key("N P", "next, previous impact"), key("+ −", "faster, slower"),
      key("Home End", "start, end"), key("Z 0", "zoom the plots in (Shift: out), whole run"), key("T", "light, dark"), element("span", {}, "Drag over a plot to zoom all of them, double-click to go back, click to go to a time.")));
}

function scene() {
  if (!data.scene) return null;
  return element("details", { class: "card", id: "scene" }, element("summary", {}, "The scene"),
    data.overrides.length ? element("p", { class: "note" }, `changed by ${data.overrides.map((o) => `--set ${o}`).join(" ")}`) : null,
    element("p", { class: "note" }, element("button", { onclick: () => download(`${fileName(data.name || "scene").replace(/\.toml$/, "")}.toml`, data.scene, "text/plain") }, "Download")),
    element("pre", { tabindex: "0" }, data.scene));
}

/** Less or more of the run in all plots, around the present. */
function zoom(player, range, factor) {
  const [a, b] = range.now ?? [0, player.end];
  const t = Math.min(Math.max(player.t, a), b);
  const [low, high] = [Math.max(0, t - (t - a) * factor), Math.min(player.end, t + (b - t) * factor)];
  range.set(high - low >= player.end * (1 - 1e-9) ? null : [low, high]);
}

function keyboard(player, range) {
  const frame = () => (data.summary?.steps > 0 ? player.end / data.summary.steps : player.end / 1000);
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const on = e.target.tagName;
    if (on === "SELECT" || on === "INPUT" || on === "TEXTAREA") return;
    if ((on === "BUTTON" || on === "SUMMARY") && (e.key === " " || e.key === "Enter")) return;
    const step = Math.max(frame(), player.speed / 60) * (e.shiftKey ? 10 : 1);
    const act = {
      " ": () => player.toggle(),
      ArrowRight: () => player.seek(player.t + step), ArrowLeft: () => player.seek(player.t - step),
      Home: () => player.seek(0), End: () => player.seek(player.end),
      n: () => jump(player, 1), p: () => jump(player, -1),
      "+": () => player.changeSpeed(1), "=": () => player.changeSpeed(1), "-": () => player.changeSpeed(-1),
      z: () => zoom(player, range, 0.5), Z: () => zoom(player, range, 2), 0: () => range.set(null), t: toggleTheme,
    }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
}
