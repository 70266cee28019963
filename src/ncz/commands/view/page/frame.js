// The frame of the picture: its box on a canvas, and the positions of places within it.

const MARGIN = { left: 100, right: 12, top: 10, bottom: 46 };
const LEFT_OF_MAP = 76, LEAST_CELL = 0.1; // larger cells, in degrees, have short labels

/** Return the box that a picture can fill within a canvas or a part of a canvas. */
function boxIn({ width, height }, margin = MARGIN) {
  return { left: margin.left, top: margin.top, width: Math.max(1, Math.floor(width - margin.left - margin.right)),
    height: Math.max(1, Math.floor(height - margin.top - margin.bottom)) };
}

/** Return the box of the picture; on a map, both axes have the same scale. */
function pictureBox(size, margin = MARGIN) {
  const { view, rulers } = state, isShort = rulers.isGeographic && rulers.y.cell >= LEAST_CELL;
  const box = boxIn(size, isShort ? { ...margin, left: LEFT_OF_MAP } : margin);
  if (!rulers.isMapped || !view) return box;
  const ratio = (view.x1 - view.x0) / (view.y1 - view.y0);
  const width = Math.max(1, Math.round(Math.min(box.width, box.height * ratio)));
  return { ...box, width, height: Math.max(1, Math.round(width / ratio)) };
}

function shownBox() { return pictureBox(byId("picture").getBoundingClientRect()); }

/** Return functions that convert places on the axes to places on the canvas, and back. */
function placing(box) {
  const { view, picture, rulers } = state, isNorthward = state.isPlaced || (rulers.isMapped && state.variable.axes[state.y].kind === "Y");
  const isUp = isNorthward || Boolean(picture?.y?.goesUp);
  const wide = box.width / (view.x1 - view.x0), high = box.height / (view.y1 - view.y0);
  return {
    isUp,
    x: (place) => box.left + (place - view.x0) * wide,
    y: (place) => (isUp ? box.top + box.height - (place - view.y0) * high : box.top + (place - view.y0) * high),
    places: (x, y) => [view.x0 + (x - box.left) / wide,
      isUp ? view.y0 + (box.top + box.height - y) / high : view.y0 + (y - box.top) / high],
  };
}

/** Return the row and the column of the value at places of the axes; null outside the data. */
function cellOf(across, down) {
  const { picture, rulers } = state, [rows, columns] = picture.shape;
  const column = Math.floor((rulers.x.index(across) - picture.x.start) / picture.x.step);
  const row = isMap() ? Math.floor((rulers.y.index(down) - picture.y.start) / picture.y.step) : 0;
  if (!(column >= 0 && row >= 0 && column < columns && row < rows)) return null;
  const n = row * columns + column;
  return { column, row, across, down, value: picture.values[n], number: picture.cells?.[n] };
}
