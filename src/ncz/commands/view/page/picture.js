// The picture of a variable: a map, a line or bars.

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

/** Draw the values, the coast, the marks and the axes. */
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
