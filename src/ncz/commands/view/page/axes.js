// Drawing the axes of a picture or a line: their labels and titles.

const LINE = 13, TITLE = 20; // height of a line of text and width of a vertical title, in pixels
const FEW_LABELS = 3;
const SPACIOUS = { across: 26, down: 36 }, NARROW = { across: 5, down: 15 }; // pixels between labels

/** Return the last set of ticks that fits with wide gaps between labels; the gaps may be narrow if labels are few. */
function fittingTicks(sets, fits, direction) {
  const spacious = sets.findLast((set) => fits(set.ticks, SPACIOUS[direction]));
  if (spacious?.ticks.length >= FEW_LABELS) return spacious;
  const narrow = sets.find((set) => set.ticks.length >= FEW_LABELS && fits(set.ticks, NARROW[direction]));
  return narrow ?? spacious ?? sets.findLast((set) => fits(set.ticks, NARROW[direction])) ?? { ...sets[0], ticks: sets[0]?.ticks.slice(0, 1) ?? [] };
}

/** Return the title of an axis; if `hasUnits`, its labels include the units. */
function axisTitle(number, shared = "", hasUnits = false) {
  if (number === null) return "";
  const axis = state.variable.axes[number], more = shared || (hasUnits ? "" : axis.units);
  return more ? `${axis.name} (${more})` : axis.name;
}

function drawAcross(sheet, box, place, sets, title) {
  const { pen } = sheet, below = box.top + box.height;
  /** Return the middle of a label, moved so that the label stays within the canvas. */
  const middle = ([at, text]) => {
    const half = pen.measureText(text).width / 2;
    return { half, x: Math.max(half + 2, Math.min(sheet.width - half - 2, place(at))) };
  };
  const fits = (ticks, gap) => {
    let free = -Infinity;
    for (const { half, x } of ticks.map(middle).sort((a, b) => a.x - b.x)) {
      if (x - half < free) return false;
      free = x + half + gap;
    }
    return true;
  };
  const { ticks, shared } = fittingTicks(sets, fits, "across");
  pen.fillStyle = sheet.text;
  pen.textAlign = "center";
  for (const tick of ticks) {
    pen.fillRect(place(tick[0]), below, 1, 4);
    pen.fillText(fitted(pen, tick[1], box.width), middle(tick).x, below + 17);
  }
  pen.fillText(fitted(pen, title(shared), box.width), box.left + box.width / 2, below + 36);
}

/** Draw labels next to a picture; a date and its time of day take two lines if they do not fit on one. */
function drawDown(sheet, box, place, sets, title) {
  const { pen } = sheet, room = box.left - 7 - TITLE;
  const linesOf = (text) => (pen.measureText(text).width <= room ? [text] : text.split(/ (?=[^ ]*$)/));
  const fits = (ticks, gap) => {
    const most = Math.max(...ticks.map(([, text]) => linesOf(text).length)) - 1;
    const places = ticks.map(([at]) => place(at)).sort((a, b) => a - b);
    return places.every((y, n) => !n || y - places[n - 1] >= gap + most * LINE);
  };
  const { ticks, shared } = fittingTicks(sets, fits, "down");
  pen.fillStyle = sheet.text;
  pen.textAlign = "right";
  for (const [y, text] of ticks.map(([at, label]) => [place(at), label]).sort((a, b) => a[0] - b[0])) {
    const lines = linesOf(text);
    if (y < box.top - 1 || y > box.top + box.height + 1) continue;
    pen.fillRect(box.left - 4, y, 4, 1);
    const top = y - (lines.length - 1) * LINE / 2;
    lines.forEach((line, n) => pen.fillText(fitted(pen, line, room), box.left - 7, top + n * LINE + 4));
  }
  drawUpwards(pen, title(shared), box.left - room - 14, box);
}
