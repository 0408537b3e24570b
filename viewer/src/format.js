// Numbers as people read them, and small helpers to build elements.

export function short(x, digits = 5) {
  if (x === null || x === undefined) return "–";
  if (typeof x === "string") return x;
  if (!Number.isFinite(x)) return String(x);
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = x.toExponential(Math.max(digits - 3, 1)).split("e");
    const raised = [...String(Number(exponent))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
    return `${mantissa.replace("-", "−")}·10${raised}`;
  }
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}

/** Labels of an axis: as many digits as tell neighbours apart. */
export function tickTexts(values, increment) {
  const known = values.filter((x) => x !== null && x !== undefined);
  const size = Math.max(...known.map(Math.abs), 0);
  return values.map((x) => {
    if (x === null || x === undefined) return null;
    if (size >= 1e6 || (size > 0 && size < 1e-3) || !(increment > 0)) return short(x, 4);
    return x.toFixed(Math.min(Math.max(Math.ceil(-Math.log10(increment) - 1e-9), 0), 12)).replace("-", "−");
  });
}

export function grouped(n) {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
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
