// The colours of values, their scale and their legend.

const CATEGORIES = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1",
  "#ff9da7", "#9c755f", "#86bc86", "#2f4b7c", "#a05195"];

function isCategorical() {
  return state.variable.flags.length > 0 && state.variable.flags.every((flag) => flag.mask === null);
}

function isLogarithmic() { return state.isLog && !isCategorical(); }

function rgb(color) { return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16)); }

/** Return the colours of the chosen colour map, from the smallest value to the largest. */
function palette() {
  const colors = state.dataset.colormaps[state.colormap];
  return state.isReversed ? [...colors].reverse() : colors;
}

/** Return a function from a value to red, green and blue; it returns null for values without a place on the scale. */
function colorOf() {
  if (isCategorical()) {
    const known = new Map(state.variable.flags.map((flag, number) =>
      [flag.value, rgb(CATEGORIES[number % CATEGORIES.length])]));
    return (value) => (Number.isFinite(value) ? known.get(value) ?? [128, 128, 128] : null);
  }
  const colors = palette(), last = colors.length - 1, part = partOf(state.low, state.high);
  return (value) => {
    const found = part(value);
    return Number.isFinite(found) ? colors[Math.max(0, Math.min(last, Math.floor(found * last)))] : null;
  };
}

/** Return a function from a value to its position between two values: 0 at the first, 1 at the second. */
function partOf(low, high) {
  if (!isLogarithmic()) return (value) => (value - low) / (high - low || 1);
  const first = Math.log(low), span = Math.log(high) - first || 1;
  return (value) => (value > 0 ? (Math.log(value) - first) / span : NaN);
}

/** Draw the colour scale next to a picture with the given box. */
function drawScale(sheet, box, left = 4) {
  const { pen } = sheet, colors = palette(), { low, high } = state, part = partOf(low, high);
  const bar = { ...box, left, width: 16 };
  for (let y = 0; y < bar.height; y++) {
    pen.fillStyle = `rgb(${colors[Math.floor((1 - y / bar.height) * (colors.length - 1))]})`;
    pen.fillRect(bar.left, bar.top + y, bar.width, Math.min(1.5, bar.height - y));
  }
  const place = (value) => bar.top + (1 - part(value)) * bar.height;
  const fits = (ticks, gap) => {
    const places = ticks.map(([value]) => place(value)).sort((a, b) => a - b);
    return places.every((y, n) => !n || y - places[n - 1] >= gap);
  };
  pen.fillStyle = sheet.text;
  pen.textAlign = "left";
  const { ticks } = fittingTicks(valueTicks(low, high), fits, "down");
  for (const [value, text] of ticks) {
    const y = Math.max(bar.top, Math.min(bar.top + bar.height - 1, place(value)));
    pen.fillRect(bar.left + bar.width, y, 4, 1);
    pen.fillText(text, bar.left + bar.width + 7, y + 4, 56);
  }
  const { units, path } = state.variable;
  const widest = Math.min(56, Math.max(...ticks.map(([, text]) => pen.measureText(text).width)));
  drawUpwards(pen, units ? `${path} (${units})` : path, bar.left + bar.width + widest + 22, bar);
}

/** Return the categories, each with its colour and its number of values. */
function categories() {
  const counts = new Map();
  for (const value of shownValues()) counts.set(value, (counts.get(value) ?? 0) + 1);
  return state.variable.flags.map((flag, number) =>
    ({ name: flag.name, count: counts.get(flag.value) ?? 0, color: CATEGORIES[number % CATEGORIES.length] }));
}

function showLegend() {
  byId("legend").replaceChildren(...categories().map(({ name, count, color }) => {
    const swatch = make("i");
    swatch.style.background = color;
    return make("li", "", {}, swatch, document.createTextNode(`${name} `), make("span", `(${count})`, { class: "dim" }));
  }));
}
