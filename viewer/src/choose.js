// Which of many series a plot shows, where all of them would be too many to tell apart.

/** At most `most` of a list, in the order of the list: those of the lowest rank, among equals the first. */
export function foremost(list, most, rank) {
  if (list.length <= most) return list;
  const ranks = list.map(rank);
  const order = list.map((_, i) => i).sort((a, b) => ranks[a] - ranks[b] || a - b);
  return order.slice(0, most).sort((a, b) => a - b).map((i) => list[i]);
}

/** The smallest and the largest of the numbers that are finite; [Infinity, −Infinity] if none is. */
export function extremes(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const x of values) {
    if (!Number.isFinite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return [low, high];
}

/**
 * One value per impact as series of a plot: every impact is in exactly one of them. `group` holds the place of each
 * impact's name in `names`. Of more than `most` groups, those with the most impacts keep their names; the rest are one
 * series "others", which comes first, to be drawn below the named ones, and has the last colour.
 */
export function impactSeries(names, group, values, most) {
  const counts = names.map(() => 0);
  for (const k of group) counts[k]++;
  const every = names.map((_, k) => k);
  const named = names.length <= most ? every : foremost(every, most - 1, (k) => -counts[k]);
  const pick = (wanted) => Float64Array.from(values, (x, i) => (wanted(group[i]) ? x : NaN));
  const series = named.map((k, i) => ({ name: names[k], color: i, values: pick((g) => g === k) }));
  const known = new Set(named);
  if (named.length < names.length) series.unshift({ name: "others", color: most - 1, values: pick((g) => !known.has(g)) });
  return series;
}
