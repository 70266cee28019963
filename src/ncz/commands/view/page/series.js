// Series through points, which are compared.

const MARKS = ["#d1495b", "#00798c", "#edae49", "#30638e", "#5c946e", "#8f5f9e", "#b5651d"];

function addPoint(event) {
  const cell = cellAt(event);
  if (!cell) return;
  const { picture } = state, at = [...state.at];
  at[state.x] = picture.x.start + cell.column * picture.x.step;
  if (isMap()) at[state.y] = picture.y.start + cell.row * picture.y.step;
  const used = new Set(state.points.map((each) => each.color));
  const color = MARKS.find((each) => !used.has(each)) ?? MARKS[0];
  state.points.push({ at, color, value: cell.value });
  readSeries();
}

function readSeries() {
  const along = byId("along").value === "" ? null : Number(byId("along").value);
  draw();
  byId("side").hidden = state.points.length === 0;
  const wasBeside = byId("views").classList.contains("beside");
  byId("views").classList.toggle("beside", state.points.length > 0);
  if (wasBeside !== state.points.length > 0) draw();
  byId("reading").textContent = "";
  return latest("series", async (signal) => {
    for (const each of state.points) {
      if (each.along === along) continue;
      const asked = { variable: state.variable.number, at: each.at, along, limit: state.limit,
        stride: each.stride ?? 1 };
      const found = await ask("series", asked, signal);
      if (found.tooLarge) {
        say(`${found.tooLarge.text[0].toUpperCase()}${found.tooLarge.text.slice(1)}.`,
          ...seriesChoices(found.tooLarge, each));
      }
      // JSON has no infinite numbers, so they come as text.
      if (found.values) found.values = found.values.map((value) => (value === null ? NaN : Number(value)));
      Object.assign(each, { found, along });
    }
    showSeries();
  });
}

function seriesChoices(large, each) {
  const choose = (text, change) => {
    const button = make("button", text, { type: "button" });
    button.addEventListener("click", () => {
      change();
      each.along = undefined;
      say("");
      readSeries();
    });
    return button;
  };
  const all = choose(`Read ${large.size}`, () => { state.limit = large.need; });
  if (!large.stride) return [all];
  return [choose(`Show every ${large.stride}`, () => { each.stride = large.stride; }), all];
}

function seriesPlot() {
  const shown = state.points.filter((each) => each.found?.values);
  if (!shown.length) return null;
  const canvas = byId("series"), { axis } = shown[0].found;
  let [low, high] = extremes(shown.flatMap((each) => each.found.values).filter(Number.isFinite), 0);
  const pad = (high - low || Math.abs(high) || 1) * 0.05;
  [low, high] = [low - pad, high + pad];
  const size = state.variable.axes[axis.axis].size, box = plotBox(canvas);
  return { canvas, axis, box, low, high, size, shown,
    x: (index) => box.left + index / size * box.width,
    y: (value) => box.top + box.height - (value - low) / (high - low) * box.height };
}

function showSeries() {
  const items = state.points.map((each) => {
    const swatch = make("i"), remove = make("button", "Remove", { type: "button" });
    swatch.style.background = each.color;
    remove.addEventListener("click", () => {
      state.points = state.points.filter((other) => other !== each);
      readSeries();
    });
    const { axes, units } = state.variable;
    const where = (each.found?.at ?? []).map((text, axis) => `${axes[axis].name} = ${text}`).join(", ");
    const text = `${where}: ${each.found?.text ?? ""}${units && each.found?.text !== "missing" ? ` ${units}` : ""}`;
    return make("li", "", {}, swatch, document.createTextNode(`${text} `), remove);
  });
  byId("points").replaceChildren(...items);
  const plot = seriesPlot();
  byId("series").hidden = !plot;
  if (!plot) return;
  const paper = prepared(plot.canvas), { pen } = paper, { box } = plot;
  pen.strokeStyle = paper.line;
  pen.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 1, box.height - 1);
  drawAcross(pen, box, plot.x, plot.axis, 0, plot.size, axisTitle(plot.axis.axis), paper);
  const ticks = isCategorical() ? state.variable.flags.map((flag) => [plot.y(flag.value), flag.name])
    : numberTicks(plot.low, plot.high, box, plot.y);
  drawDown(pen, box, ticks, state.variable.units || state.variable.path);
  for (const each of plot.shown) {
    pen.strokeStyle = pen.fillStyle = each.color;
    const { axis, values } = each.found;
    trace(pen, values, (n) => plot.x(axis.start + n * axis.step + 0.5), plot.y);
  }
}

function readSeriesAt(event) {
  const plot = seriesPlot();
  if (!plot) return;
  const x = event.clientX - plot.canvas.getBoundingClientRect().left - plot.box.left;
  const index = x / plot.box.width * plot.size, { axis } = plot;
  const n = Math.floor((index - axis.start) / axis.step);
  const text = axis.texts[n];
  byId("reading").textContent = text === undefined ? "" : `${state.variable.axes[axis.axis].name} = ${text}: `
    + plot.shown.map((each) => describe(each.found.values[n] ?? NaN)).join("; ");
}
