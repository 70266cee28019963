// Colours of values, and what they stand for.

const CATEGORIES = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1",
  "#ff9da7", "#9c755f", "#86bc86", "#2f4b7c", "#a05195"];

function isCategorical() {
  return state.variable.flags.length > 0 && state.variable.flags.every((flag) => flag.mask === null);
}

function rgb(color) { return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16)); }

function colorOf() {
  if (isCategorical()) {
    const known = new Map(state.variable.flags.map((flag, number) =>
      [flag.value, rgb(CATEGORIES[number % CATEGORIES.length])]));
    return (value) => known.get(value) ?? [128, 128, 128];
  }
  const palette = state.dataset.colormaps[byId("colors").value];
  const { low, high } = state, scale = (palette.length - 1) / (high - low || 1);
  return (value) => palette[Math.max(0, Math.min(palette.length - 1, Math.floor((value - low) * scale)))];
}

function drawScale() {
  const { pen, height, text } = prepared(byId("scale"));
  const box = { left: 4, top: MARGIN.top, width: 16, height: height - MARGIN.top - MARGIN.bottom };
  const palette = state.dataset.colormaps[byId("colors").value];
  for (let y = 0; y < box.height; y++) {
    const parts = palette[Math.floor((1 - y / box.height) * (palette.length - 1))];
    pen.fillStyle = `rgb(${parts})`;
    pen.fillRect(box.left, box.top + y, box.width, 1.5);
  }
  pen.fillStyle = text;
  const span = state.high - state.low || 1;
  for (const number of roundNumbers(state.low, state.high, box.height / 45)) {
    const y = box.top + (1 - (number - state.low) / span) * box.height;
    pen.fillRect(box.left + box.width, y, 4, 1);
    pen.fillText(brief(number), box.left + box.width + 7, y + 4, 56);
  }
  const { units, path } = state.variable;
  pen.translate(98, box.top + box.height / 2);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = "center";
  pen.fillText(fitted(pen, units ? `${path} (${units})` : path, box.height), 0, 0);
}

function showLegend() {
  const counts = new Map();
  for (const value of shownValues()) counts.set(value, (counts.get(value) ?? 0) + 1);
  byId("legend").replaceChildren(...state.variable.flags.map((flag, number) => {
    const swatch = make("i");
    swatch.style.background = CATEGORIES[number % CATEGORIES.length];
    const count = counts.get(flag.value) ?? 0;
    return make("li", "", {}, swatch, document.createTextNode(`${flag.name} `),
      make("span", `(${count})`, { class: "dim" }));
  }));
}
