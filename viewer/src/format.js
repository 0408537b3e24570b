// Numbers as people read them, and small helpers to build elements.

function powerOfTen(exponent) {
  const raised = [...String(Number(exponent))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]));
  return `10${raised.join("")}`;
}

export function short(x, digits = 5) {
  if (x === null || x === undefined) return "–";
  if (typeof x === "string") return x;
  if (!Number.isFinite(x)) return String(x);
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = x.toExponential(Math.max(digits - 3, 1)).split("e");
    return `${mantissa.replace("-", "−")}·${powerOfTen(exponent)}`;
  }
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}

/** The mantissa and the exponent of a number, without the noise of its last digits: 0.025 is ["2.5", -2]. */
function scientific(x) {
  const [mantissa, exponent] = x.toExponential(11).split("e");
  return [mantissa.replace(/\.?0+$/, ""), Number(exponent)];
}

const mostPlaces = 100;  // of toFixed

/** Labels of an axis whose ticks are multiples of an increment: every label is exact, all have the same places. */
export function tickTexts(values, increment) {
  const missing = (x) => x === null || x === undefined;
  if (!(increment > 0)) return values.map((x) => (missing(x) ? null : short(x, 4)));
  const [mantissa, exponent] = scientific(increment);
  const places = Math.max(mantissa.length - 2, 0) - exponent;
  const size = Math.max(...values.filter((x) => !missing(x)).map(Math.abs), 0);
  const power = scientific(size)[1];
  const fixed = (x, digits) => x.toFixed(Math.min(Math.max(digits, 0), mostPlaces)).replace("-", "−");
  const labels = (text) => values.map((x) => (missing(x) ? null : text(Math.abs(x) < increment * 1e-6 ? 0 : x)));
  const plain = () => labels((x) => fixed(x, places));
  if (size < 1e6 && (size >= 1e-3 || size === 0)) return plain();
  const raised = labels((x) => (x === 0 ? "0" : `${fixed(x / 10 ** power, places + power)}·${powerOfTen(power)}`));
  const longest = (texts) => Math.max(...texts.map((text) => text?.length ?? 0), 0);
  // A small change of a large number is shorter, and easier to read, without the power.
  return size >= 1e6 && longest(plain()) < longest(raised) ? plain() : raised;
}

/** About `count` round numbers from low to high, and their labels. */
export function evenTicks(low, high, count) {
  const raw = (high - low) / count;
  if (!(raw > 0)) return { values: [], texts: [] };
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((v) => v >= raw);
  const values = [];
  for (let k = Math.ceil(low / step); k * step <= high && values.length < 200; k++) values.push(k * step);
  return { values, texts: tickTexts(values, step) };
}

// Narrow, and lines do not break there.
const groupSpace = "\u202f";

export function grouped(n) {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, groupSpace);
}

/** Sentences of the program, with numbers and times that stay in one line. */
export function unbroken(text) {
  return text.replaceAll("\u2009", groupSpace).replaceAll(" t = ", " t\u00a0=\u00a0");
}

export function counted(n, word) {
  return `${grouped(n)} ${word}${n === 1 ? "" : "s"}`;
}

/** How much of a table is shown: all of it, or one row in `every`. */
export function wholeOrOne(total, word, every) {
  if (every > 1) return `one ${word} in ${grouped(every)}, of ${grouped(total)}`;
  return total === 1 ? `the only ${word}` : `all ${counted(total, word)}`;
}

/** element("button", {class: "x", onclick: f}, "text", child) */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

export function download(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function fileName(...parts) {
  return parts.filter(Boolean).join("-").toLowerCase().replace(/[^a-z0-9.]+/g, "-").replace(/^-|-$/g, "");
}
