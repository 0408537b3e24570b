// The set φ < 0 of a grid of values as one path: full cells as runs, cut cells as polygons; and its border φ = 0.

const mix = (a, b) => a / (a - b);

export function contour(grid, values) {
  const [x0, y0, x1, y1] = grid.box;
  const { columns, rows } = grid;
  const dx = (x1 - x0) / (columns - 1);
  const dy = (y1 - y0) / (rows - 1);
  const outside = new Path2D();
  const border = new Path2D();
  for (let j = 0; j + 1 < rows; j++) {
    let run = -1;
    const endRun = (i) => {
      if (run >= 0) outside.rect(x0 + run * dx, y0 + j * dy, (i - run) * dx, dy);
      run = -1;
    };
    for (let i = 0; i + 1 < columns; i++) {
      const k = j * columns + i;
      const v = [values[k], values[k + 1], values[k + columns + 1], values[k + columns]];
      const negative = v.filter((f) => f < 0).length;
      if (negative === 4) {
        if (run < 0) run = i;
        continue;
      }
      endRun(i);
      if (negative === 0) continue;
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
      const polygon = [];
      const cuts = [];
      for (let a = 0; a < 4; a++) {
        const b = (a + 1) % 4;
        if (v[a] < 0) polygon.push(corners[a]);
        if (v[a] < 0 !== v[b] < 0) {
          const s = mix(v[a], v[b]);
          const p = [corners[a][0] + s * (corners[b][0] - corners[a][0]), corners[a][1] + s * (corners[b][1] - corners[a][1])];
          polygon.push(p);
          cuts.push(p);
        }
      }
      polygon.forEach(([x, y], n) => outside[n ? "lineTo" : "moveTo"](x0 + x * dx, y0 + y * dy));
      outside.closePath();
      for (let n = 0; n + 1 < cuts.length; n += 2) {
        border.moveTo(x0 + cuts[n][0] * dx, y0 + cuts[n][1] * dy);
        border.lineTo(x0 + cuts[n + 1][0] * dx, y0 + cuts[n + 1][1] * dy);
      }
    }
    endRun(columns - 1);
  }
  extend(outside, grid, values, dx, dy);
  return { outside, border };
}

/** What is inadmissible at the edge of the grid is taken to be so beyond it. */
function extend(outside, grid, values, dx, dy) {
  const [x0, y0, x1, y1] = grid.box;
  const { columns, rows } = grid;
  const far = 20 * (x1 - x0);
  const negative = (i, j) => values[j * columns + i] < 0;
  for (let j = 0; j + 1 < rows; j++) {
    if (negative(0, j) && negative(0, j + 1)) outside.rect(x0 - far, y0 + j * dy, far, dy);
    if (negative(columns - 1, j) && negative(columns - 1, j + 1)) outside.rect(x1, y0 + j * dy, far, dy);
  }
  for (let i = 0; i + 1 < columns; i++) {
    if (negative(i, 0) && negative(i + 1, 0)) outside.rect(x0 + i * dx, y0 - far, dx, far);
    if (negative(i, rows - 1) && negative(i + 1, rows - 1)) outside.rect(x0 + i * dx, y1, dx, far);
  }
  if (negative(0, 0)) outside.rect(x0 - far, y0 - far, far, far);
  if (negative(columns - 1, 0)) outside.rect(x1, y0 - far, far, far);
  if (negative(0, rows - 1)) outside.rect(x0 - far, y1, far, far);
  if (negative(columns - 1, rows - 1)) outside.rect(x1, y1, far, far);
}
