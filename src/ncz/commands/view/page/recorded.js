// The answers of a page without a server, recorded when the page was written.

const recorded = byId("answers") && JSON.parse(byId("answers").textContent);

let recordedPicture = null;

function recordedAnswer(path, asked) {
  if (recorded.picture) {
    recordedPicture ??= unpacked(Uint8Array.from(atob(recorded.picture), (each) => each.charCodeAt(0)).buffer);
  }
  if (path === "picture") return recordedPicture;
  return path === "series" && recorded.picture ? recordedSeries(asked) : recorded[path];
}

/** Return the values of the picture through a point, along one of the axes. */
function recordedSeries({ at, along }) {
  if (state.isPlaced) return recordedCell(at);
  const { x, y, values, shape: [rows, columns], at: places } = recordedPicture;
  const cell = (index, axis) => Math.floor((index - axis.start) / axis.step);
  const column = cell(at[state.x], x), row = isMap() ? cell(at[state.y], y) : 0;
  const value = values[row * columns + column];
  const found = { text: named(value, format(value)), at: [...places] };
  found.at[state.x] = x.texts[column];
  if (isMap()) found.at[state.y] = y.texts[row];
  if (along === null) return found;
  const line = along === state.x ? values.slice(row * columns, (row + 1) * columns)
    : Array.from({ length: rows }, (_, n) => values[n * columns + column]);
  return { ...found, axis: along === state.x ? x : y, values: [...line] };
}

/** Return the value of a cell of the map. A recorded page has no series of such cells. */
function recordedCell(at) {
  const value = recordedPicture.values[recordedPicture.cells.indexOf(cellNumber(at))] ?? NaN;
  const { placed, axes } = state.variable, found = { text: named(value, format(value)), at: [...recordedPicture.at] };
  for (const axis of placed.axes) found.at[axis] = axes[axis].size > 1 ? `[${at[axis]}]` : found.at[axis];
  return found;
}
