// The pointer on the picture (values, zoom and pan), and the equivalent keys.

const ZOOM_DELAY = 120;

/** Return the cell below the pointer; null outside the data. */
function cellAt(event) {
  if (!state.picture) return null;
  const frame = byId("picture").getBoundingClientRect(), box = shownBox();
  const x = event.clientX - frame.left, y = event.clientY - frame.top;
  if (x < box.left || y < box.top || x >= box.left + box.width || y >= box.top + box.height) return null;
  return cellOf(...placing(box).places(x, y));
}

function point(event) { showCell(cellAt(event)); }

/** Show the position and the value of a cell. */
function showCell(cell) {
  byId("pointer").textContent = cell ? `${whereIs(cell)}: ${describe(cell.value)}` : "";
}

function whereIs(cell) {
  if (state.isPlaced) return whereIsPlaced(cell);
  const { axes } = state.variable, { picture } = state;
  const places = [[state.x, picture.x.texts[cell.column]]];
  if (isMap()) places.unshift([state.y, picture.y.texts[cell.row]]);
  return places.map(([axis, text]) =>
    `${axes[axis].name} = ${text}${axes[axis].units ? ` ${axes[axis].units}` : ""}`).join(", ");
}

/** Show a smaller or a larger part; the given place does not move. */
function zoom(factor, across, down) {
  const all = wholeView(), { view, rulers } = state;
  const limits = (from, to, least, most) => [Math.min(1, least / (to - from)), most / (to - from)];
  const x = limits(view.x0, view.x1, Math.min(all.x1 - all.x0, 4 * rulers.x.cell), all.x1 - all.x0);
  const y = limits(view.y0, view.y1, Math.min(all.y1 - all.y0, 4 * rulers.y.cell), all.y1 - all.y0);
  const within = ([least, most]) => Math.max(least, Math.min(most, factor));
  // On a map, both axes zoom by the same factor.
  const same = within([Math.max(x[0], y[0]), Math.min(x[1], y[1])]);
  const [wide, high] = rulers.isMapped ? [same, same] : [within(x), within(y)];
  const near = (from, to, at, by, low, high) => moved(at - (at - from) * by, (to - from) * by, low, high);
  const [x0, x1] = near(view.x0, view.x1, across, wide, all.x0, all.x1);
  const [y0, y1] = isMap() ? near(view.y0, view.y1, down, high, all.y0, all.y1) : [0, 1];
  moveTo({ x0, x1, y0, y1 });
}

/** Return the ends of a span that begins at `start`, moved as little as possible to be within limits. */
function moved(start, span, low, high) {
  const from = Math.max(low, Math.min(high - span, start));
  return [from, from + span];
}

let finer = null;

/** Show another part: the available data immediately, and finer data after a delay. */
function moveTo(view) {
  state.view = view;
  draw();
  if (finer === null) busy(1);
  clearTimeout(finer);
  finer = setTimeout(() => {
    finer = null;
    refresh(false);
    remember();
    busy(-1);
  }, ZOOM_DELAY);
}

function middle() { return [(state.view.x0 + state.view.x1) / 2, (state.view.y0 + state.view.y1) / 2]; }

function shift(view, across, down) {
  const all = wholeView();
  const [x0, x1] = moved(view.x0 + across, view.x1 - view.x0, all.x0, all.x1);
  const [y0, y1] = moved(view.y0 + down, view.y1 - view.y0, all.y0, all.y1);
  moveTo({ x0, x1, y0, y1 });
}

let drag = null;

function press(event) {
  if (!state.picture || event.button) return;
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
  const box = shownBox(), { view } = drag, up = placing(box).isUp ? 1 : -1;
  shift(view, -dx / box.width * (view.x1 - view.x0), up * dy / box.height * (view.y1 - view.y0));
}

function release(event) {
  if (drag && !drag.moved) addPoint(cellAt(event));
  drag = null;
}

/** Return the cell at the keyboard cursor, which starts in the middle. */
function cellOfKeys() {
  return cellOf(...(state.cursor ?? middle()));
}

function moveCursor(columns, rows) {
  const { picture, rulers, view } = state, [across, down] = state.cursor ?? middle(), up = placing(shownBox()).isUp ? 1 : -1;
  // Cells of any shape may have any size, so a step is a few pixels.
  const step = (ruler, axis) => (state.isPlaced ? 8 : ruler.cell) * axis.step;
  const next = (at, by, size, low, high) => Math.max(low + size / 2, Math.min(high - size / 2, at + by * size));
  state.cursor = [next(across, columns, step(rulers.x, picture.x), view.x0, view.x1),
    isMap() ? next(down, rows * up, step(rulers.y, picture.y), view.y0, view.y1) : down];
  showCell(cellOfKeys());
  draw();
}

const KEYS = {
  ArrowLeft: () => moveCursor(-1, 0),
  ArrowRight: () => moveCursor(1, 0),
  ArrowUp: () => moveCursor(0, 1),
  ArrowDown: () => moveCursor(0, -1),
  Enter: () => addPoint(cellOfKeys()),
  "+": () => zoom(0.5, ...(state.cursor ?? middle())),
  "-": () => zoom(2, ...(state.cursor ?? middle())),
  0: () => moveTo(wholeView()),
};

function pressKey(event) {
  if (!state.picture || !KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  KEYS[event.key]();
}
