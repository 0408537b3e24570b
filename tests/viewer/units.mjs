// The parts of the page that need no browser: texts of numbers, labels of axes, and which series are shown.
import assert from "node:assert/strict";
import { extremes, foremost, impactSeries } from "../../viewer/src/choose.js";
import { counted, evenTicks, grouped, tickTexts, unbroken, wholeOrOne } from "../../viewer/src/format.js";

let failed = 0;
function check(name, body) {
  try {
    body();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILS ${name}\n${error.stack}`);
  }
}

/** The number that a label says. */
function said(text) {
  const [mantissa, power] = text.replaceAll("−", "-").split("·10");
  const exponent = [...(power ?? "")].map((c) => (c === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c))).join("");
  return Number(`${mantissa}e${exponent || 0}`);
}

check("labels that were wrong once", () => {
  assert.deepEqual(tickTexts([0, 2.5, 5, 7.5, 10], 2.5), ["0.0", "2.5", "5.0", "7.5", "10.0"]);
  assert.deepEqual(tickTexts([0.25, 0.5, 0.75], 0.25), ["0.25", "0.50", "0.75"]);
  assert.deepEqual(tickTexts([38.22, 38.2225, 38.225], 0.0025), ["38.2200", "38.2225", "38.2250"]);
  assert.deepEqual(tickTexts([0.000225, 0.00025, 0], 0.000025), ["2.25·10⁻⁴", "2.50·10⁻⁴", "0"]);
  assert.deepEqual(tickTexts([1000000, 1002500], 2500), ["1000000", "1002500"]);
  assert.deepEqual(tickTexts([-4e7, 0, 4e7], 4e7), ["−4·10⁷", "0", "4·10⁷"]);
  assert.deepEqual(tickTexts([-20, 0, 20], 20), ["−20", "0", "20"]);
  assert.deepEqual(tickTexts([1, null, 3], 1), ["1", null, "3"]);
});
check("every label is the number it stands at: increments 1, 2, 2.5, 5 times powers of ten, with and without an offset", () => {
  for (let power = -12; power <= 12; power++)
    for (const factor of [1, 2, 2.5, 5])
      for (const offset of [0, -7, 41, 15289, -2000003]) {
        const increment = Number(`${factor}e${power}`);
        // The tenths of whole numbers are exact in decimals, so the text of the number wanted is known.
        const places = [-2, -1, 0, 1, 2, 3].map((k) => k + offset);
        const values = places.map((k) => k * increment);
        const texts = tickTexts(values, increment);
        texts.forEach((text, i) => {
          const wanted = Number(`${places[i] * factor}e${power}`);
          assert.ok(Math.abs(said(text) - wanted) <= 1e-15 * Math.abs(wanted), `${text} stands at ${wanted}`);
        });
        assert.equal(new Set(texts).size, texts.length, texts.join(", "));
      }
});
check("noise around zero is zero", () => {
  assert.deepEqual(tickTexts([-1e-17, 0.1, 0.30000000000000004], 0.1), ["0.0", "0.1", "0.3"]);
});
check("even ticks lie in the range and say where they are", () => {
  const { values, texts } = evenTicks(38.2179, 38.2284, 4);
  assert.deepEqual(texts, ["38.220", "38.225"]);
  values.forEach((x, i) => assert.ok(Math.abs(x - Number(texts[i])) < 1e-12));
  assert.deepEqual(evenTicks(-1.2, 2.3, 4).texts, ["−1", "0", "1", "2"]);
  assert.deepEqual(evenTicks(3, 3, 4).texts, []);
});
check("numbers do not break across lines, and one is not many", () => {
  assert.equal(grouped(19515), "19\u202f515");
  assert.equal(grouped(1234567), "1\u202f234\u202f567");
  assert.equal(unbroken("8\u2009000 steps, up to t = 40."), "8\u202f000 steps, up to t\u00a0=\u00a040.");
  assert.equal(counted(1, "impact"), "1 impact");
  assert.equal(counted(2000, "impact"), "2\u202f000 impacts");
  assert.equal(wholeOrOne(1, "row", 1), "the only row");
  assert.equal(wholeOrOne(7, "row", 1), "all 7 rows");
  assert.equal(wholeOrOne(40000, "impact", 21), "one impact in 21, of 40\u202f000");
});
check("the foremost keep their order", () => {
  assert.deepEqual(foremost([5, 1, 4, 1, 3], 3, (x) => x), [1, 1, 3]);
  assert.deepEqual(foremost([5, 4], 3, (x) => x), [5, 4]);
  assert.deepEqual(foremost([2, 2, 2], 2, (x) => x), [2, 2]);
  assert.deepEqual(extremes([3, NaN, -2, Infinity]), [-2, 3]);
});
check("every impact is in exactly one series", () => {
  const names = Array.from({ length: 30 }, (_, k) => `gap ${k}`);
  const group = Int32Array.from({ length: 400 }, (_, i) => (i % 3 ? 20 + (i % 4) : i % 30));
  const values = Float64Array.from(group, (_, i) => i + 0.5);
  const series = impactSeries(names, group, values, 8);
  assert.equal(series.length, 8);
  assert.deepEqual(series.map((s) => s.color), [7, 0, 1, 2, 3, 4, 5, 6]);
  assert.equal(series[0].name, "others");
  assert.ok([20, 21, 22, 23].every((k) => series.some((s) => s.name === `gap ${k}`)), "those with the most impacts have names");
  values.forEach((x, i) => {
    const shown = series.map((s) => s.values[i]).filter((v) => !Number.isNaN(v));
    assert.deepEqual(shown, [x], `impact ${i}`);
  });
  const few = impactSeries(["a", "b"], [0, 1, 0], [1, 2, 3], 8);
  assert.deepEqual(few.map((s) => [s.name, [...s.values]]), [["a", [1, NaN, 3]], ["b", [NaN, 2, NaN]]]);
});
process.exit(failed ? 1 : 0);
