// The visible values as CSV files: unpacked, with dates; missing values are empty.

function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Return the text of each coordinate, or the indices if the axis has no coordinates. */
function csvTexts(axis) {
  return axis.texts.map((text, n) => (axis.coordinates || !/^\[\d+\]$/.test(text) ? quoted(text) : String(axis.start + n * axis.step)));
}

function csvValue(value) { return Number.isNaN(value) ? "" : format(value).replace("about ", ""); }

/** Return whether a value may differ from the dataset: an integer that a double cannot hold exactly. */
function isRounded(value) { return state.variable.digits === "whole" && Math.abs(value) > Number.MAX_SAFE_INTEGER; }

/** Return the lines of a picture: the coordinates and the value of each visible cell. */
function pictureLines() {
  const { picture, view, rulers, variable: { axes } } = state, { values, shape: [rows, columns], x, y } = picture;
  const seen = (axis, ruler, from, to) => {
    const [first, end] = indicesBetween(ruler, axes[axis.axis].size, from, to);
    return axis.texts.map((_, n) => axis.start + n * axis.step).map((at) => at + axis.step > first && at < end);
  };
  const across = csvTexts(x), isSeen = seen(x, rulers.x, view.x0, view.x1), path = quoted(state.variable.path);
  if (!isMap()) {
    return [`${quoted(axes[state.x].name)},${path}`,
      ...across.map((text, n) => `${text},${csvValue(values[n])}`).filter((_, n) => isSeen[n])];
  }
  const down = csvTexts(y), isRowSeen = seen(y, rulers.y, view.y0, view.y1);
  const lines = [`${quoted(axes[state.x].name)},${quoted(axes[state.y].name)},${path}`];
  for (let row = 0; row < rows; row++) {
    if (!isRowSeen[row]) continue;
    for (let column = 0; column < columns; column++) {
      if (isSeen[column]) lines.push(`${across[column]},${down[row]},${csvValue(values[row * columns + column])}`);
    }
  }
  return lines;
}

/** Return the lines of the series, with a column for each point. */
function seriesLines() {
  const { shown, axis } = knownSeries(), { path, axes } = state.variable;
  const fixed = (each) => each.found.at.map((text, number) => (number === axis.axis ? "" : `${axes[number].name} = ${text}`))
    .filter(Boolean).join(", ");
  const names = shown.map((each) => (shown.length === 1 ? path : `${path} (${fixed(each)})`));
  // Series may have different strides.
  const rows = new Map();
  shown.forEach((each, column) => {
    const texts = csvTexts(each.found.axis), { start, step } = each.found.axis;
    each.found.values.forEach((value, n) => {
      const index = start + n * step;
      if (!rows.has(index)) rows.set(index, [texts[n], ...shown.map(() => "")]);
      rows.get(index)[column + 1] = csvValue(value);
    });
  });
  return [[axes[axis.axis].name, ...names].map(quoted).join(","),
    ...[...rows].sort((a, b) => a[0] - b[0]).map(([, cells]) => cells.join(","))];
}

/** Return the lines of the visible table. */
function tableLines() {
  const { cells, x, y } = state.table, { axes, path } = state.variable;
  const title = x ? ["", ...csvTexts(x)] : [y ? quoted(axes[y.axis].name) : "", quoted(path)];
  return [title.join(","), ...cells.map((row, n) => [y ? csvTexts(y)[n] : "", ...row.map(quoted)].join(","))];
}

function saveCsv(lines, ending) {
  save(new Blob([lines.join("\n"), "\n"], { type: "text/csv;charset=utf-8" }), fileName(ending));
}

/** Save the values of the picture or the table; show a message if the file does not have all values. */
function saveShown() {
  const { isText } = state.variable;
  if (!(isText ? state.table : state.picture)) {
    say("There are no values to save.");
    return;
  }
  saveCsv(isText ? tableLines() : state.isPlaced ? placedLines() : pictureLines(), "csv");
  const coarse = isText ? [] : coarseAxes(state.picture).map((text) => `${text} is in the file, as in the picture.`);
  if (state.isPlaced) coarse.push("Longitudes and latitudes in the file are at the middle of the visible part of each cell.");
  if (!isText && state.picture.values.some(isRounded)) coarse.push("Integers of more than 15 digits are rounded in the file.");
  if (coarse.length) say(coarse.join(" "));
}
