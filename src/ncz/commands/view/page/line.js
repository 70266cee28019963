// A line or bars, and the vertical axis of values.

const FEW_POINTS = 80;

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

/** Return the ends of a vertical axis, with a margin beyond the values, and a function from a value to its height. */
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

/** Draw values as a line, with gaps at missing values, and with dots if the line has few values.
 *  A value between two gaps becomes a short line. */
function trace(pen, values, where, height) {
  let begins = true;
  pen.lineWidth = 1.5;
  pen.beginPath();
  values.forEach((value, n) => {
    if (!Number.isFinite(height(value))) {
      begins = true;
      return;
    }
    const isAlone = begins && !Number.isFinite(height(values[n + 1]));
    if (begins) pen.moveTo(where(n) - isAlone, height(value));
    if (isAlone || !begins) pen.lineTo(where(n) + isAlone, height(value));
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
