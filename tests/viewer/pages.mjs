// What the pages say and draw: phase plots and downloads against the records, every kind of shape, runs that did not
// finish, the page as `ricochet view` serves it; with --every also a page of every bundled scene.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, main, open, option, out, picture, range, run, settle } from "./harness.mjs";

const file = (name, text) => {
  writeFileSync(join(out, name), text);
  return join(out, name);
};
const rows = (text) => text.trim().split("\n").map((line) => line.split(","));
async function downloaded(page, button) {
  const [got] = await Promise.all([page.waitForEvent("download"), page.locator(`button[aria-label="${button}"]`).click()]);
  return readFileSync(await got.path());
}
/** How many pixels of the stage are of a colour, to within the rounding of edges and shading. */
const painted = (page, rgb) => page.evaluate((want) => {
  const stage = document.getElementById("stage");
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [stage.width, stage.height];
  const g = copy.getContext("2d");
  g.drawImage(stage, 0, 0);
  const { data } = g.getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (want.every((c, k) => Math.abs(c - data[i + k]) < 40)) count++;
  return count;
}, rgb);

// Free fall from y = 1 with x = 2t: everything on the page has a closed form.
const ball = `[time]
step = 0.01
end = 0.4
[system]
coordinates = ["x", "y"]
mass = [2, 2]
potential = "2*9.81*y"
position = [0, 1]
velocity = [2, 0]
[[gap]]
name = "floor"
expression = "y"
[[symmetry]]
name = "shift"
generator = [1, 0]
[record]
stroboscope = 0.1
`;

await main(async () => {
  const fall = await open(run(file("ball.toml", ball), "ball"));
  await check("every quantity has its plot", async () => {
    const titles = await fall.$$eval(".grid h2", (all) => all.map((h) => h.textContent));
    for (const title of ["Relative energy error", "Energy", "Momentum maps, change from the start", "Gaps", "Coordinates", "Momenta", "Phase plot"])
      assert.ok(titles.includes(title), `${title} is not among ${titles.join(", ")}`);
    const energy = await fall.locator('section[aria-label="Energy"] .u-legend').textContent();
    assert.match(energy, /energy.*discrete/s);
  });
  await check("phase plots of any two recorded quantities, with their numbers", async () => {
    const names = await fall.$$eval('select[aria-label="Horizontal quantity"] option', (all) => all.map((o) => o.textContent));
    const wanted = [/^t$/, /^x$/, /^y$/, /p.*x/, /p.*y/, /^energy$/, /discrete/, /floor/, /shift/];
    const places = wanted.map((w) => names.findIndex((n) => w.test(n)));
    assert.ok(places.every((i) => i >= 0), `${names.join(", ")} lacks ${wanted.filter((w, i) => places[i] < 0)}`);
    const seen = new Set();
    const form = { t: (t) => t, x: (t) => 2 * t, y: (t) => 1 - (9.81 * t * t) / 2, p_y: (t) => -2 * 9.81 * t };
    for (const [a, b, f, g] of [[0, 2, form.t, form.y], [1, 4, form.x, form.p_y], [7, 2, form.y, form.y], [8, 5, () => 4, () => 4 + 2 * 9.81]]) {
      await fall.selectOption('select[aria-label="Horizontal quantity"]', String(places[a]));
      await fall.selectOption('select[aria-label="Vertical quantity"]', String(places[b]));
      await settle(fall);
      seen.add(await fall.evaluate(() => document.querySelector("canvas.phase").toDataURL()));
      const [head, ...numbers] = rows((await downloaded(fall, "Phase plot as CSV")).toString());
      assert.deepEqual(head, [names[places[a]], names[places[b]]]);
      assert.equal(numbers.length, 41);
      // The page keeps single precision, relative to the start.
      numbers.forEach(([x, y], k) => {
        assert.ok(Math.abs(x - f(k / 100)) < 1e-6 && Math.abs(y - g(k / 100)) < 2e-6, `row ${k}: ${x}, ${y}`);
      });
    }
    assert.equal(seen.size, 4, "the picture does not change with the quantities");
    await fall.selectOption('select[aria-label="Rows of the phase plot"]', { label: "stroboscope" });
    assert.equal(rows((await downloaded(fall, "Phase plot as CSV")).toString()).length, 1 + 5);
  });
  await check("downloads are pictures and numbers", async () => {
    for (const button of ["Gaps as PNG", "Phase plot as PNG", "Picture as PNG"])
      assert.equal((await downloaded(fall, button)).subarray(1, 4).toString(), "PNG");
    const [head, ...numbers] = rows((await downloaded(fall, "Coordinates as CSV")).toString());
    assert.deepEqual(head, ["t", "x", "y"]);
    numbers.forEach(([t, x, y]) => assert.ok(Math.abs(x - 2 * t) < 1e-6 && Math.abs(y - 1 + (9.81 * t * t) / 2) < 1e-6));
  });
  await check("zoom by keyboard", async () => {
    await fall.evaluate(() => window.ricochet.player.seek(0.1));
    await fall.focus("#stage");
    await fall.keyboard.press("z");
    assert.deepEqual((await range(fall)).map((x) => Number(x.toFixed(9))), [0.05, 0.25]);
    await fall.keyboard.press("Shift+Z");
    assert.equal(await range(fall), null);
    await fall.keyboard.press("z");
    await fall.keyboard.press("0");
    assert.equal(await range(fall), null);
    assert.deepEqual(fall.problems, []);
  });
  await fall.close();

  const facts = (page) => page.$$eval(".facts div", (all) =>
    Object.fromEntries(all.map((d) => [...d.children].map((c) => c.textContent))));
  await check("where impacts take energy, its change is no error", async () => {
    const rest = await open(run("resting-ball", "resting-ball"));
    const said = await facts(rest);
    // All of mgh, with m = 1 and h = 1, is lost.
    assert.deepEqual([said["Energy change, relative"], said["Energy dissipated"]], ["1", "9.81"]);
    assert.ok("Energy balance error" in said && !("Energy error, relative" in said), Object.keys(said).join(", "));
    const titles = await rest.$$eval(".grid h2", (all) => all.map((h) => h.textContent));
    assert.ok(titles.includes("Relative change of the energy"), titles.join(", "));
    assert.ok(!titles.includes("Relative energy error"), titles.join(", "));
    await rest.close();
  });
  await check("one impact is not many", async () => {
    const one = await open(run("incline", "incline"));
    assert.equal(await one.textContent("#impact"), "before the only impact");
    assert.equal(await one.textContent('section[aria-label="Multipliers"] .note'), "λ of the only impact");
    await one.close();
  });
  await check("a finished run that recorded nothing says so, and no momentum map is passed over", async () => {
    const more = ["a", "b", "c"].map((name) => `[[symmetry]]\nname = "${name}"\ngenerator = [1, 0]\n`).join("");
    const scene = ball.replace("[record]\nstroboscope = 0.1", `${more}[record]\nevery = 0`);
    const silent = await open(run(file("silent.toml", scene), "silent"));
    const said = await facts(silent);
    assert.equal(Object.keys(said).filter((name) => name.startsWith("Momentum error: ")).length, 3);
    assert.match(said["Other momentum errors"], /^at most /);
    const words = await silent.textContent("main");
    assert.ok(/nothing was recorded/.test(words) && !/recorded yet/.test(words));
    assert.deepEqual(silent.problems, []);
    await silent.close();
  });

  const shapes = {
    point: 'position = ["x", "y"]',
    circle: 'position = ["x", "y"]\nradius = 0.3',
    polygon: 'position = ["x", "y"]\nangle = "x"\nvertices = [[0.3, 0], [-0.2, 0.3], [-0.2, -0.3]]',
    box: 'position = ["x", "y"]\nangle = "x"\nsize = [0.6, 0.4]',
    segment: 'from = ["x", "y"]\nto = ["x + 0.5", "y + 0.3"]',
    capsule: 'from = ["x", "y"]\nto = ["x + 0.5", "y"]\nradius = 0.1',
    sphere: 'position = ["x", "y", 0]\nradius = 0.3',
  };
  await check(`every kind of shape is drawn: ${Object.keys(shapes).join(", ")}`, async () => {
    for (const [type, words] of Object.entries(shapes)) {
      const scene = `${ball}[[shape]]\ntype = "${type}"\ncolor = "#ff00ff"\n${words}\n`;
      const page = await open(run(file(`${type}.toml`, scene), type));
      assert.equal(await page.evaluate(() => window.ricochet.data.motion.dimension), type === "sphere" ? 3 : 2);
      const before = await picture(page);
      assert.ok((await painted(page, type === "sphere" ? [170, 0, 170] : [255, 0, 255])) > 8, `no ${type} to be seen`);
      await page.evaluate(() => window.ricochet.player.seek(0.3));
      await settle(page);
      assert.notEqual(await picture(page), before, `the ${type} does not move`);
      assert.deepEqual(page.problems, []);
      await page.close();
    }
  });

  await check("a run that failed, and one that was killed, show what there is", async () => {
    const bad = ball.replace('"2*9.81*y"', '"2*9.81*y + if(y < 0.5, log(y - 0.5), 0)"');
    try {
      run(file("bad.toml", bad), "bad");
      assert.fail("it did not fail");
    } catch (error) {
      assert.equal(error.status, 1);
    }
    const failed = await open(join(out, "bad", "report.html"));
    assert.equal(await failed.textContent(".badge"), "failed");
    assert.match(await failed.textContent("#words"), /^Failed/);
    assert.ok(await failed.evaluate(() => window.ricochet.data.plots.rows > 10));
    assert.deepEqual(failed.problems, []);
    await failed.close();
    const dir = join(out, "killed");
    const going = spawn(option("program"), ["run", join(option("scenes"), "star.toml"), "--out", dir, "--quiet", "--set", "time.end=1e7"], { stdio: "ignore" });
    await new Promise((r) => setTimeout(r, 1500));
    going.kill("SIGKILL");
    await new Promise((r) => going.on("close", r));
    execFileSync(option("program"), ["report", dir]);
    const killed = await open(join(dir, "report.html"));
    assert.equal(await killed.textContent(".badge"), "unfinished");
    assert.ok(await killed.evaluate(() => window.ricochet.data.plots.rows > 100));
    assert.deepEqual(killed.problems, []);
    await killed.close();
  });

  await check("ricochet view serves the page on loopback, and Ctrl-C ends it", async () => {
    const server = spawn(option("program"), ["view", join(out, "ball"), "--no-browser"], { stdio: ["ignore", "pipe", "pipe"] });
    const address = await new Promise((found, lost) => {
      let said = "";
      for (const stream of [server.stdout, server.stderr])
        stream.on("data", (part) => {
          said += part;
          const at = said.match(/http:\/\/127\.0\.0\.1:\d+\S*/);
          if (at) found(at[0]);
        });
      server.on("close", () => lost(new Error(`it ended: ${said}`)));
    });
    const page = await open(address);
    assert.equal(await page.textContent(".badge"), "finished");
    assert.deepEqual(page.problems, []);
    await page.close();
    server.removeAllListeners("close");
    const ended = new Promise((r) => server.on("close", (code, signal) => r(code ?? signal)));
    server.kill("SIGINT");
    assert.ok([0, 130].includes(await ended), `it ended with ${await ended}`);
  });

  if (process.argv.includes("--every")) {
    // Counter-examples: 1 and 5 stay at rest, 3 is refused; of the oscillator only impacts are recorded.
    const refused = ["counter-example-3"], still = ["counter-example-1", "counter-example-5", "impact-oscillator"];
    const names = readdirSync(option("scenes")).filter((n) => n.endsWith(".toml")).map((n) => n.slice(0, -5));
    for (const name of [...refused, ...still]) assert.ok(names.includes(name), `no scene ${name}`);
    for (const name of names.filter((n) => !refused.includes(n)))
      await check(`the page of ${name}`, async () => {
        const text = readFileSync(join(option("scenes"), `${name}.toml`), "utf8");
        const end = Number(text.match(/^end *= *([0-9.eE+-]+)/m)?.[1]);
        const page = await open(run(name, `every-${name}`, ...(end > 20 ? ["time.end=20"] : [])));
        assert.equal(await page.textContent(".badge"), "finished");
        const moves = await page.evaluate(() => Boolean(window.ricochet.data.motion));
        const view = moves ? "#stage" : "canvas.phase";
        const look = () => page.evaluate((v) => document.querySelector(v).toDataURL(), view);
        const before = await look();
        await page.evaluate(() => window.ricochet.player.seek(window.ricochet.data.t_end * 0.37));
        await settle(page);
        if (!still.includes(name)) assert.notEqual(await look(), before, "nothing moves");
        await page.setViewportSize({ width: 375, height: 720 });
        await settle(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 375, "wider than 375 pixels");
        assert.deepEqual(page.problems, []);
        await page.close();
      });
  }
});
