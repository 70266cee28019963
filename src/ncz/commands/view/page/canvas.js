// Canvases: their sizes, and text on them.

const MARGIN = { left: 100, right: 12, top: 10, bottom: 46 };

function prepared(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  canvas.width = Math.max(1, Math.round(width * devicePixelRatio));
  canvas.height = Math.max(1, Math.round(height * devicePixelRatio));
  const pen = canvas.getContext("2d");
  pen.scale(devicePixelRatio, devicePixelRatio);
  const style = getComputedStyle(document.body);
  pen.fillStyle = pen.strokeStyle = style.color;
  pen.font = "12px system-ui, sans-serif";
  return { pen, width, height, text: style.color, line: style.getPropertyValue("--edge") };
}

/** Return text that is at most so many pixels wide. */
function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  const length = Math.floor(text.length * room / pen.measureText(text).width);
  for (let end = Math.min(length + 5, text.length - 1); end > 1; end--) {
    const found = `${text.slice(0, end)}…`;
    if (pen.measureText(found).width <= room) return found;
  }
  return "…";
}

function plotBox(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  return { left: MARGIN.left, top: MARGIN.top, width: Math.max(1, width - MARGIN.left - MARGIN.right),
    height: Math.max(1, height - MARGIN.top - MARGIN.bottom) };
}
