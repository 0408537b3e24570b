// What the tests of the page share: runs of the program, a browser that must not complain, and one line per check.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const option = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? "" : process.argv[at + 1];
};
const skip = (why) => {
  console.log(`skipped: ${why}`);
  process.exit(77);
};
const chromium = option("chromium");
if (!existsSync(chromium)) skip("there is no chromium (scripts/setup browser)");
if (!existsSync(join(option("viewer"), "node_modules", "playwright-core"))) skip("the packages of the page are not installed");
const playwright = createRequire(resolve(option("viewer"), "package.json"))("playwright-core");

export const out = resolve(option("out"));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

/** Runs a scene (a file, or the name of a bundled one) into out/name; returns its page. */
export function run(scene, name, ...set) {
  const dir = join(out, name);
  const extra = set.flatMap((s) => ["--set", s]);
  const file = scene.endsWith(".toml") ? scene : join(option("scenes"), `${scene}.toml`);
  execFileSync(option("program"), ["run", file, "--out", dir, "--quiet", ...extra], { stdio: ["ignore", "pipe", "pipe"] });
  return join(dir, "report.html");
}

const profile = mkdtempSync(join(tmpdir(), "ricochet-browser-"));
export const browser = await playwright.chromium.launchPersistentContext(profile, {
  executablePath: chromium, headless: true, viewport: { width: 1280, height: 900 }, colorScheme: "light", acceptDownloads: true,
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/** A page that must not complain and must not ask for anything; `where` is a file or an address. */
export async function open(where, size) {
  const page = await browser.newPage();
  if (size) await page.setViewportSize(size);
  page.problems = [];
  const address = /^http:/.test(where) ? where : pathToFileURL(where).href;
  page.on("pageerror", (e) => page.problems.push(`error: ${e.message}`));
  page.on("console", (m) => {
    // The first two come of drawing without a graphics card, the third of this test's own reading of pixels.
    if (/GPU stall|fallback to software WebGL|willReadFrequently/.test(m.text())) return;
    if (["error", "warning"].includes(m.type())) page.problems.push(`${m.type()}: ${m.text()}`);
  });
  page.on("request", (r) => {
    if (r.url() !== address && !/^(file|data|blob):/.test(r.url())) page.problems.push(`request: ${r.url()}`);
  });
  const start = Date.now();
  await page.goto(address);
  await page.waitForFunction(() => window.ricochet && (document.querySelectorAll(".u-over").length > 0 || window.ricochet.data.plots.rows === 0));
  await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
  page.opened = Date.now() - start;
  return page;
}
export const time = (page) => page.evaluate(() => window.ricochet.player.t);
export const range = (page) => page.evaluate(() => window.ricochet.range.now);
export const picture = (page) => page.evaluate(() => document.getElementById("stage").toDataURL());
export const settle = (page) => page.evaluate(() => new Promise((r) => setTimeout(r, 60)));

let failed = 0;
export async function check(name, body) {
  try {
    await body();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILS ${name}\n${error.stack}`);
  }
}

/** Runs the checks and ends the process: 1 if any failed. */
export async function main(body) {
  try {
    await body();
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
  process.exit(failed ? 1 : 0);
}
