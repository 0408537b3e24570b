// Light and dark: what the system prefers until the reader chooses.
const listeners = new Set();
const system = window.matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system.matches;
}
export function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  listeners.forEach((f) => f());
}
export function onTheme(f) {
  listeners.add(f);
}
system.addEventListener("change", () => listeners.forEach((f) => f()));

/** A colour of style.css. */
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
export const seriesColor = (i) => color(`series-${i % 8}`);
