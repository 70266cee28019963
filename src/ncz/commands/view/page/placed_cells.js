// Cells of any shape on a map: curvilinear grids, meshes and stations. Cells are numbered along the axes with places.

/** Return the number of the cell at an index along each axis. */
function cellNumber(at) {
  const { axes, shape } = state.variable.placed;
  return axes.reduce((number, axis, n) => number * shape[n] + at[axis], 0);
}

/** Return indices along all axes, with the indices of a cell along the axes with places. */
function withCell(at, number) {
  const { axes, shape } = state.variable.placed, found = [...at];
  for (let n = axes.length - 1, rest = number; n >= 0; n--) {
    found[axes[n]] = rest % shape[n];
    rest = Math.floor(rest / shape[n]);
  }
  return found;
}

/** Return a map from the number of each cell to the middle of its visible part, in degrees. */
function middlesOfCells() {
  const { picture } = state, { x, y, cells, shape: [, columns] } = picture;
  if (picture.middles) return picture.middles;
  const sums = new Map();
  cells.forEach((number, n) => {
    if (number < 0) return;
    if (!sums.has(number)) sums.set(number, { across: 0, down: 0, count: 0, value: picture.values[n] });
    const sum = sums.get(number);
    sum.across += n % columns;
    sum.down += Math.floor(n / columns);
    sum.count++;
  });
  picture.middles = new Map([...sums].map(([number, { across, down, count, value }]) =>
    [number, { value, across: x.start + (across / count + 0.5) * x.step, down: y.start + (down / count + 0.5) * y.step }]));
  return picture.middles;
}

/** Return the position of the pointer and the indices of the cell below it, as text. */
function whereIsPlaced(cell) {
  const { placed, axes } = state.variable, { picture } = state;
  const where = [degrees(Number(cell.down.toFixed(placesOf(picture.y))), "latitude"),
    degrees(Number(cell.across.toFixed(placesOf(picture.x))), "longitude")];
  if (cell.number === -1) return where.join(", ");
  const at = withCell(state.at, cell.number);
  return [...where, ...placed.axes.map((axis) => `${axes[axis].name} = [${at[axis]}]`)].join(", ");
}

/** Return the number of decimals that distinguish the pixels of an axis. */
function placesOf({ step }) { return Math.max(0, Math.min(6, Math.ceil(-Math.log10(step)))); }

/** Return the lines of a table: for each cell, the middle of its visible part, its indices and its value. */
function placedLines() {
  const { x, y } = state.picture, { axes, placed, path } = state.variable;
  const lines = [...middlesOfCells()].sort((a, b) => a[0] - b[0]).map(([number, { across, down, value }]) => {
    const at = withCell(state.at, number);
    return [across.toFixed(placesOf(x)), down.toFixed(placesOf(y)), ...placed.axes.map((axis) => at[axis]), csvValue(value)].join(",");
  });
  return [["lon", "lat", ...placed.axes.map((axis) => axes[axis].name), path].map(quoted).join(","), ...lines];
}
