// The picture of a variable: a map, a line or bars.

const FEW_POINTS = 80;

/** Functions that turn indices of the picture into places on the canvas, and back. */
function placing(box) {
  const { view, picture } = state, isUp = Boolean(picture?.y?.goesUp);
  const wide = box.width / (view.x1 - view.x0), high = box.height / (view.y1 - view.y0);
  return {
    isUp,
    x: (index) => box.left + (index - view.x0) * wide,
    y: (index) => (isUp ? box.top + box.height - (index - view.y0) * high : box.top + (index - view.y0) * high),
    index: (x, y) => [view.x0 + (x - box.left) / wide,
      isUp ? view.y0 + (box.top + box.height - y) / high : view.y0 + (y - box.top) / high],
  };
}

function draw() {
  const canvas = byId("picture");
  if (!state.variable || canvas.parentElement.hidden) return;
  const paper = prepared(canvas), box = plotBox(canvas), { pen } = paper;
  if (!state.picture) {
    prepared(byId("scale"));
    byId("legend").replaceChildren();
    return;
  }
  const to = placing(box);
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  if (isMap()) drawMap(pen, to);
  else drawLine(pen, box, to, paper);
  state.points.forEach((point) => drawMark(pen, box, to, point));
  pen.restore();
  pen.strokeStyle = paper.line;
  pen.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 1, box.height - 1);
  drawAcross(pen, box, to.x, state.picture.x, state.view.x0, state.view.x1, axisTitle(state.x), paper);
  if (isMap()) {
    const ticks = axisTicks(state.picture.y, state.view.y0, state.view.y1, box.height / 45);
    drawDown(pen, box, ticks.map(([index, text]) => [to.y(index), text]), axisTitle(state.y));
    if (isCategorical()) showLegend();
    else drawScale();
  }
}

function drawMap(pen, to) {
  const { values, shape, x, y } = state.picture, [rows, columns] = shape, color = colorOf();
  const image = new ImageData(columns, rows), data = image.data;
  for (let row = 0; row < rows; row++) {
    let from = (to.isUp ? rows - 1 - row : row) * columns, place = row * columns * 4;
    for (let column = 0; column < columns; column++, from++, place += 4) {
      const value = values[from];
      if (!Number.isFinite(value)) continue; // missing and infinite values are transparent
      const parts = color(value);
      data[place] = parts[0];
      data[place + 1] = parts[1];
      data[place + 2] = parts[2];
      data[place + 3] = 255;
    }
  }
  const sheet = document.createElement("canvas");
  sheet.width = columns;
  sheet.height = rows;
  sheet.getContext("2d").putImageData(image, 0, 0);
  const [left, right] = [to.x(x.start), to.x(x.start + columns * x.step)];
  const ends = [to.y(y.start), to.y(y.start + rows * y.step)];
  pen.imageSmoothingEnabled = false;
  pen.drawImage(sheet, left, Math.min(...ends), right - left, Math.abs(ends[1] - ends[0]));
}

function drawLine(pen, box, to, paper) {
  const { values, x } = state.picture, pad = (state.high - state.low || Math.abs(state.high) || 1) * 0.05;
  const isBars = state.variable.axes[state.x].isCategory && !isCategorical();
  let [low, high] = [state.low - pad, state.high + pad];
  if (isBars) [low, high] = [Math.min(0, low), Math.max(0, high)];
  const height = (value) => box.top + box.height - (value - low) / (high - low) * box.height;
  state.height = height;
  const where = (n) => to.x(x.start + n * x.step + 0.5);
  pen.strokeStyle = pen.fillStyle = getComputedStyle(document.body).getPropertyValue("--accent");
  if (isBars) {
    const half = Math.max(1, (to.x(x.step) - to.x(0)) * 0.4);
    values.forEach((value, n) => {
      if (Number.isFinite(value)) pen.fillRect(where(n) - half, Math.min(height(value), height(0)), 2 * half,
        Math.max(1, Math.abs(height(value) - height(0))));
    });
  } else {
    trace(pen, values, where, height);
  }
  pen.restore();
  pen.save();
  pen.fillStyle = paper.text;
  const ticks = isCategorical()
    ? state.variable.flags.map((flag) => [height(flag.value), flag.name])
    : numberTicks(low, high, box, height);
  drawDown(pen, box, ticks, state.variable.units || state.variable.path);
}

/** Draw values as a line, with gaps where they are missing, and dots if they are few. */
function trace(pen, values, where, height) {
  let begins = true;
  pen.lineWidth = 1.5;
  pen.beginPath();
  values.forEach((value, n) => {
    if (!Number.isFinite(value)) {
      begins = true;
      return;
    }
    if (begins) pen.moveTo(where(n), height(value));
    else pen.lineTo(where(n), height(value));
    begins = false;
  });
  pen.stroke();
  if (values.length > FEW_POINTS) return;
  values.forEach((value, n) => {
    if (!Number.isFinite(value)) return;
    pen.beginPath();
    pen.arc(where(n), height(value), 2.5, 0, 7);
    pen.fill();
  });
}

function drawMark(pen, box, to, point) {
  const x = to.x(point.at[state.x] + 0.5);
  const y = isMap() ? to.y(point.at[state.y] + 0.5) : state.height?.(point.value);
  if (!Number.isFinite(y)) return;
  pen.lineWidth = 3;
  for (const color of ["#fff", point.color]) {
    pen.strokeStyle = color;
    pen.beginPath();
    pen.arc(x, y, 5, 0, 7);
    pen.stroke();
    pen.lineWidth = 1.5;
  }
}
