// The picture of a variable: a map, a line or bars.

const FEW_POINTS = 80;

function draw() {
  const canvas = byId("picture");
  if (!state.variable || byId("figure").hidden) return;
  const sheet = prepared(canvas), box = pictureBox(sheet);
  canvas.dataset.box = [box.left, box.top, box.width, box.height].join(" ");
  byId("scale").style.transform = byId("legend").style.transform =
    `translateX(${box.left + box.width + MARGIN.right - sheet.width}px)`;
  if (!state.picture) {
    prepared(byId("scale"));
    byId("legend").replaceChildren();
    return;
  }
  drawPicture(sheet, box);
  if (state.cursor) drawCursor(sheet, placing(box));
  if (!isMap()) return;
  if (isCategorical()) showLegend();
  else drawScale(prepared(byId("scale")), box);
}

/** Draw the values, what lies over them, and the axes. */
function drawPicture(sheet, box) {
  const { picture, view, rulers } = state, { pen } = sheet, to = placing(box);
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  const axis = isMap() ? drawMap(sheet, box, to) : drawLine(sheet, box, to);
  drawCoast(pen, to);
  state.points.forEach((point) => drawMark(pen, to, axis, point));
  pen.restore();
  drawFrame(sheet, box);
  drawAcross(sheet, box, to.x, axisTicks(picture.x, rulers.quantities[0], view.x0, view.x1), (shared) =>
    (state.isPlaced ? "longitude" : axisTitle(state.x, shared, isInDegrees(rulers.quantities[0]))));
  drawDown(sheet, box, axis.place, axis.sets, axis.title);
}

/** Draw a map; return its vertical axis. */
function drawMap(sheet, box, to) {
  const image = mapImage(box, to, sheet.scale), canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d").putImageData(image, 0, 0);
  sheet.pen.imageSmoothingEnabled = false;
  sheet.pen.drawImage(canvas, box.left, box.top, box.width, box.height);
  const { picture, view, rulers } = state;
  return { place: to.y, sets: axisTicks(picture.y, rulers.quantities[1], view.y0, view.y1), title: (shared) =>
    (state.isPlaced ? "latitude" : axisTitle(state.y, shared, isInDegrees(rulers.quantities[1]))) };
}

/** Return the pixels of a map: each has the colour of the value whose cell it is in. */
function mapImage(box, to, scale) {
  const { values, shape: [rows, columns], x, y } = state.picture, { rulers } = state, color = colorOf();
  const wide = Math.max(1, Math.round(box.width * scale)), high = Math.max(1, Math.round(box.height * scale));
  const colors = new Uint8ClampedArray(values.length * 4);
  values.forEach((value, n) => {
    const parts = color(value); // missing and infinite values are transparent
    if (!parts) return;
    colors.set(parts, n * 4);
    colors[n * 4 + 3] = 255;
  });
  const cells = (length, index, from, count) => Int32Array.from({ length }, (_, pixel) => {
    const found = Math.floor((index(pixel) - from.start) / from.step);
    return found >= 0 && found < count ? found : -1;
  });
  const columnOf = cells(wide, (pixel) => rulers.x.index(to.places(box.left + (pixel + 0.5) / scale, 0)[0]), x, columns);
  const rowOf = cells(high, (pixel) => rulers.y.index(to.places(0, box.top + (pixel + 0.5) / scale)[1]), y, rows);
  const image = new ImageData(wide, high);
  const inks = new Uint32Array(colors.buffer), pixels = new Uint32Array(image.data.buffer);
  for (let row = 0; row < high; row++) {
    if (rowOf[row] < 0) continue;
    const start = rowOf[row] * columns, end = row * wide;
    for (let pixel = 0; pixel < wide; pixel++) {
      if (columnOf[pixel] >= 0) pixels[end + pixel] = inks[start + columnOf[pixel]];
    }
  }
  return image;
}

/** Draw a line or bars; return the vertical axis. */
function drawLine(sheet, box, to) {
  const { pen } = sheet, { values, x } = state.picture;
  const isBars = state.variable.axes[state.x].isCategory && !isCategorical();
  const { low, high, height } = valueAxis(box, state.low, state.high, isBars);
  const where = (n) => to.x(x.start + n * x.step + 0.5), foot = isLogarithmic() ? low : 0;
  pen.strokeStyle = pen.fillStyle = sheet.accent;
  if (isBars) {
    const half = Math.max(1, (to.x(x.step) - to.x(0)) * 0.4);
    values.forEach((value, n) => {
      if (Number.isFinite(height(value))) pen.fillRect(where(n) - half, Math.min(height(value), height(foot)), 2 * half,
        Math.max(1, Math.abs(height(value) - height(foot))));
    });
  } else {
    trace(pen, values, where, height);
  }
  return { place: height, sets: valueTicks(low, high), title: valueTitle };
}

/** Return the ends of a vertical axis of values, with room beyond them, and their places. */
function valueAxis(box, least, largest, hasZero = false) {
  const pad = (largest - least || Math.abs(largest) || 1) * 0.05, factor = Math.max(1.1, (largest / least) ** 0.05);
  let [low, high] = isLogarithmic() ? [least / factor, largest * factor] : [least - pad, largest + pad];
  if (hasZero && !isLogarithmic()) [low, high] = [Math.min(0, low), Math.max(0, high)];
  const part = partOf(low, high);
  return { low, high, height: (value) => box.top + (1 - part(value)) * box.height };
}

function valueTicks(low, high) {
  if (isCategorical()) return someOf(state.variable.flags.map((flag) => [flag.value, flag.name]));
  return isLogarithmic() ? ratioTicks(low, high) : numberTicks(low, high);
}

function valueTitle() { return state.variable.units || state.variable.path; }

/** Draw values as a line, with gaps where they are missing, and dots if they are few. */
function trace(pen, values, where, height) {
  let begins = true;
  pen.lineWidth = 1.5;
  pen.beginPath();
  values.forEach((value, n) => {
    if (!Number.isFinite(height(value))) {
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
    if (!Number.isFinite(height(value))) return;
    pen.beginPath();
    pen.arc(where(n), height(value), 2.5, 0, 7);
    pen.fill();
  });
}

/** Return where a point is along the axes of the picture. */
function placeOfPoint(at) {
  if (state.isPlaced) {
    const middle = middlesOfCells().get(cellNumber(at));
    return middle ? [middle.across, middle.down] : [NaN, NaN];
  }
  const { x, y } = state.rulers, across = x.place(at[state.x] + 0.5);
  return [across, isMap() ? y.place(at[state.y] + 0.5) : valueAt(at[state.x])];
}

/** Return the value of a line at an index. */
function valueAt(index) {
  const { values, x } = state.picture;
  return values[Math.floor((index - x.start) / x.step)] ?? NaN;
}

function drawMark(pen, to, axis, point) {
  const [across, down] = placeOfPoint(point.at), [x, y] = [to.x(across), axis.place(down)];
  if (!Number.isFinite(x) || !Number.isFinite(y)) return;
  pen.lineWidth = 3;
  for (const color of ["#fff", point.color]) {
    pen.strokeStyle = color;
    pen.beginPath();
    pen.arc(x, y, 5, 0, 7);
    pen.stroke();
    pen.lineWidth = 1.5;
  }
}

/** Draw a cross at the cell that the keys have reached. */
function drawCursor({ pen, text }, to) {
  const [x, y] = [to.x(state.cursor[0]), to.y(isMap() ? state.cursor[1] : 0.5)];
  for (const [color, width] of [["#fff", 4], [text, 1.5]]) {
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.beginPath();
    for (const [dx, dy] of [[9, 0], [0, 9]]) {
      pen.moveTo(x - dx, y - dy);
      pen.lineTo(x + dx, y + dy);
    }
    pen.stroke();
  }
}
