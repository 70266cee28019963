// The axes of a picture or a line: their labels and titles.

const LINE = 13, TITLE = 20; // pixels of a line of text, and of a vertical title

/** Return up to about `count` round numbers between two, and the digits that they need. */
function roundNumbers(low, high, count) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 10 * power;
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9 && found.length < 50; n++) {
    found.push(Number((n * step).toPrecision(12)));
  }
  return found;
}

/** Return places between the indices `first` and `end` of an axis, and their labels. */
function axisTicks(axis, first, end, room) {
  const count = Math.max(2, Math.floor(room));
  const inside = axis.texts
    .map((text, n) => [axis.start + n * axis.step + 0.5, axis.isNumber && axis.coordinates[n] !== null
      ? brief(axis.coordinates[n], 6) : text])
    .filter(([place]) => place >= first && place <= end);
  if (!axis.isScale || inside.length <= count) {
    const step = Math.max(1, Math.ceil(inside.length / count));
    return inside.filter((_, n) => n % step === 0);
  }
  const at = axis.coordinates, last = at.length - 1;
  const place = (index) => {
    const n = Math.max(0, Math.min(last, (index - 0.5 - axis.start) / axis.step)), k = Math.min(Math.floor(n), last - 1);
    return at[k] + (at[k + 1] - at[k]) * (n - k);
  };
  const ends = [place(first), place(end)].sort((a, b) => a - b);
  return roundNumbers(ends[0], ends[1], count).map((number) => {
    let k = 0;
    while (k < last - 1 && (at[k + 1] - number) * Math.sign(at[last] - at[0]) < 0) k++;
    const part = (number - at[k]) / (at[k + 1] - at[k]);
    return [axis.start + (k + part) * axis.step + 0.5, brief(number)];
  }).filter(([where]) => where >= first && where <= end).sort((a, b) => a[0] - b[0]);
}

function axisTitle(number) {
  if (number === null) return "";
  const axis = state.variable.axes[number];
  return axis.units ? `${axis.name} (${axis.units})` : axis.name;
}

function drawAcross(pen, box, place, axis, first, end, title, paper) {
  pen.fillStyle = paper.text;
  pen.textAlign = "center";
  let free = -Infinity;
  const widest = Math.max(30, ...axis.texts.slice(0, 50).map((text) => pen.measureText(text).width));
  for (const [index, text] of axisTicks(axis, first, end, box.width / (Math.min(widest, 150) + 30))) {
    const x = place(index), half = pen.measureText(text).width / 2;
    if (x - half < free || half > 120) continue;
    free = x + half + 6;
    pen.fillRect(x, box.top + box.height, 1, 4);
    pen.fillText(text, x, box.top + box.height + 17);
  }
  pen.fillText(fitted(pen, title, box.width), box.left + box.width / 2, box.top + box.height + 36);
}

function numberTicks(low, high, box, place) {
  return roundNumbers(low, high, box.height / 45).map((number) => [place(number), brief(number)]);
}

/** Draw labels that do not overlap; the date and the time of day are two lines. */
function drawDown(pen, box, ticks, title) {
  pen.textAlign = "right";
  let free = -Infinity;
  const room = box.left - 7 - TITLE;
  for (const [y, text] of [...ticks].sort((a, b) => a[0] - b[0])) {
    const lines = fitted(pen, text, room) === text ? [text] : text.split(/ (?=[^ ]*$)/);
    const top = y - (lines.length - 1) * LINE / 2;
    if (y < box.top - 1 || y > box.top + box.height + 1 || top < free) continue;
    free = top + lines.length * LINE;
    pen.fillRect(box.left - 4, y, 4, 1);
    lines.forEach((line, n) => pen.fillText(fitted(pen, line, room), box.left - 7, top + n * LINE + 4));
  }
  pen.save();
  pen.translate(11, box.top + box.height / 2);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = "center";
  pen.fillText(fitted(pen, title, box.height), 0, 0);
  pen.restore();
}
