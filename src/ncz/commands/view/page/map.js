// A map: cells in the colours of their values.

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

/** Return the pixels of a map; each has the colour of the cell that contains it. */
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
