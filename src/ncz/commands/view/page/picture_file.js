// Pictures as PNG files: with a white background, a title and two pixels per unit of length.

const SAVED = { width: 960, height: 600, series: 360, title: 58, scale: 110, legend: 190, scaling: 2 };

/** Return the positions along the other dimensions as text. */
function cutText() {
  const { axes } = state.variable, shown = shownAxes();
  return axes.map((axis, number) => (shown.includes(number) || !state.picture?.at?.[number] ? ""
    : `${axis.name} = ${state.picture.at[number]}${axis.units ? ` ${axis.units}` : ""}`)).filter(Boolean).join(", ");
}

function sheetToSave(width, height) {
  const canvas = document.createElement("canvas"), sheet = sheetOn(canvas, width, height, SAVED.scaling, PRINTED);
  sheet.pen.fillStyle = "#fff";
  sheet.pen.fillRect(0, 0, width, height);
  return { canvas, sheet };
}

function drawTitle({ pen, width, text }, title, below) {
  pen.textAlign = "left";
  pen.fillStyle = text;
  pen.font = `600 17px ${FONT.slice(5)}`;
  pen.fillText(fitted(pen, title, width - 40), 20, 26);
  pen.font = FONT;
  pen.fillText(fitted(pen, below, width - 40), 20, 45);
}

function titleOf({ title, path, units }) { return `${title || path}${units ? ` (${units})` : ""}`; }

/** Return a canvas with the picture, its title and its colour scale or legend. */
function savedPicture() {
  const beside = isMap() ? (isCategorical() ? SAVED.legend : SAVED.scale) : 12;
  const margin = { ...MARGIN, top: SAVED.title + 4, right: beside };
  const box = pictureBox(SAVED, margin);
  const width = box.left + box.width + beside, height = box.top + box.height + MARGIN.bottom;
  const { canvas, sheet } = sheetToSave(Math.max(width, 420), height);
  drawTitle(sheet, titleOf(state.variable), [state.dataset.name, cutText()].filter(Boolean).join(", "));
  drawPicture(sheet, box);
  if (isMap()) (isCategorical() ? drawLegend : drawScale)(sheet, box, box.left + box.width + 12);
  return canvas;
}

/** Draw the categories next to the picture. */
function drawLegend({ pen, text }, box, left) {
  const found = categories(), most = Math.floor(box.height / 20);
  pen.textAlign = "left";
  found.slice(0, most).forEach(({ name, color }, n) => {
    pen.fillStyle = color;
    pen.fillRect(left, box.top + n * 20, 12, 12);
    pen.fillStyle = text;
    pen.fillText(fitted(pen, name, SAVED.legend - 42), left + 18, box.top + n * 20 + 11);
  });
}

/** Return a canvas with the series and a list of their points. */
function savedSeries() {
  const { shown } = knownSeries(), lines = shown.length * 18;
  const { canvas, sheet } = sheetToSave(SAVED.width, SAVED.title + SAVED.series + lines + 10);
  drawTitle(sheet, titleOf(state.variable), state.dataset.name);
  drawSeries(sheet, boxIn({ width: SAVED.width, height: SAVED.title + SAVED.series }, { ...MARGIN, top: SAVED.title }));
  sheet.pen.textAlign = "left";
  shown.forEach((each, n) => {
    const y = SAVED.title + SAVED.series + n * 18 + 8;
    sheet.pen.fillStyle = each.color;
    sheet.pen.fillRect(MARGIN.left, y - 9, 10, 10);
    sheet.pen.fillStyle = sheet.text;
    sheet.pen.fillText(fitted(sheet.pen, `${whereIsPoint(each)}: ${valueOfPoint(each)}`, SAVED.width - 140), MARGIN.left + 18, y);
  });
  return canvas;
}

/** Save the picture, or show a message if the page has no picture. */
function savePicture() {
  if (state.picture) savePng(savedPicture(), "png");
  else say("There is no picture to save.");
}

function savePng(canvas, ending) {
  return new Promise((resolve) => {
    canvas.toBlob((blob) => resolve(save(blob, fileName(ending))), "image/png");
  });
}
