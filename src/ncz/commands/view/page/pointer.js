// The pointer: values under it, zoom and pan.

const ZOOM_DELAY = 120;

/** Return the row and the column of the value at a place of the canvas, and the place's indices. */
function cellAt(event) {
  const { picture } = state;
  if (!picture) return null;
  const canvas = byId("picture"), frame = canvas.getBoundingClientRect(), box = plotBox(canvas);
  const x = event.clientX - frame.left, y = event.clientY - frame.top;
  if (x < box.left || y < box.top || x >= box.left + box.width || y >= box.top + box.height) return null;
  const [ix, iy] = placing(box).index(x, y);
  const column = Math.floor((ix - picture.x.start) / picture.x.step);
  const row = isMap() ? Math.floor((iy - picture.y.start) / picture.y.step) : 0;
  if (column < 0 || row < 0 || column >= picture.shape[1] || row >= picture.shape[0]) return null;
  return { column, row, ix, iy, value: picture.values[row * picture.shape[1] + column] };
}

function point(event) {
  const cell = cellAt(event);
  if (!cell) {
    byId("pointer").textContent = "";
    return;
  }
  const { axes } = state.variable, { picture } = state;
  const places = [[state.x, picture.x.texts[cell.column]]];
  if (isMap()) places.unshift([state.y, picture.y.texts[cell.row]]);
  const where = places.map(([axis, text]) =>
    `${axes[axis].name} = ${text}${axes[axis].units ? ` ${axes[axis].units}` : ""}`).join(", ");
  byId("pointer").textContent = `${where}: ${describe(cell.value)}`;
}

function zoom(factor, ix, iy) {
  const all = wholeView(), { view } = state;
  const near = (low, high, at, size) => {
    const span = Math.min(size, Math.max(Math.min(size, 4), (high - low) * factor));
    const start = Math.max(0, Math.min(size - span, at - (at - low) * span / (high - low)));
    return [start, start + span];
  };
  const [x0, x1] = near(view.x0, view.x1, ix, all.x1);
  const [y0, y1] = isMap() ? near(view.y0, view.y1, iy, all.y1) : [0, 1];
  moveTo({ x0, x1, y0, y1 });
}

let finer = null;

/** Show another part: what is known of it at once, and finer data soon. */
function moveTo(view) {
  state.view = view;
  draw();
  if (finer === null) busy(1);
  clearTimeout(finer);
  finer = setTimeout(() => {
    finer = null;
    refresh(false);
    busy(-1);
  }, ZOOM_DELAY);
}

function middle() { return [(state.view.x0 + state.view.x1) / 2, (state.view.y0 + state.view.y1) / 2]; }

let drag = null;

function press(event) {
  const cell = cellAt(event);
  if (!cell || event.button) return;
  drag = { x: event.clientX, y: event.clientY, view: state.view, moved: false };
  event.target.setPointerCapture(event.pointerId);
}

function pull(event) {
  if (!drag) {
    point(event);
    return;
  }
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  if (!drag.moved && Math.hypot(dx, dy) < 4) return;
  drag.moved = true;
  const box = plotBox(byId("picture")), all = wholeView(), { view } = drag;
  const shift = (low, high, by, size) => {
    const start = Math.max(0, Math.min(size - (high - low), low - by));
    return [start, start + high - low];
  };
  const up = placing(box).isUp ? -1 : 1;
  const [x0, x1] = shift(view.x0, view.x1, dx / box.width * (view.x1 - view.x0), all.x1);
  const [y0, y1] = shift(view.y0, view.y1, up * dy / box.height * (view.y1 - view.y0), all.y1);
  moveTo({ x0, x1, y0, y1 });
}

function release(event) {
  if (drag && !drag.moved) addPoint(event);
  drag = null;
}
