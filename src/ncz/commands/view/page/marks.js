// Marks on the picture: the chosen points and the cell at the keyboard cursor.

/** Return the position of a point along the axes of the picture. */
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

/** Draw a cross at the keyboard cursor. */
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
