// The sizes and the text of canvases.

const FONT = "12px system-ui, sans-serif";

/** The colours of a saved picture, which has a white background. */
const PRINTED = { text: "#1c2430", line: "#9aa4b0", accent: "#1d6fa5" };

/** Return a sheet for drawing on a canvas of the page, at the size of the canvas on the screen. */
function prepared(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const style = getComputedStyle(document.body), color = (name) => style.getPropertyValue(name).trim();
  return sheetOn(canvas, width, height, devicePixelRatio,
    { text: style.color, line: color("--edge"), accent: color("--accent") });
}

function sheetOn(canvas, width, height, scale, colors) {
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = pen.strokeStyle = colors.text;
  pen.font = FONT;
  return { pen, width, height, scale, ...colors };
}

/** Return text, shortened if it is wider than `room` pixels. */
function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  const length = Math.floor(text.length * room / pen.measureText(text).width);
  for (let end = Math.min(length + 5, text.length - 1); end > 1; end--) {
    const found = `${text.slice(0, end)}…`;
    if (pen.measureText(found).width <= room) return found;
  }
  return "…";
}

/** Draw text that reads upwards, centred on the height of a box. */
function drawUpwards(pen, text, x, box) {
  pen.save();
  pen.translate(x, box.top + box.height / 2);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = "center";
  pen.fillText(fitted(pen, text, box.height), 0, 0);
  pen.restore();
}

function drawFrame(sheet, box) {
  sheet.pen.strokeStyle = sheet.line;
  sheet.pen.lineWidth = 1;
  sheet.pen.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 1, box.height - 1);
}
