// Comparing series through points.

const MARKS = ["#d1495b", "#00798c", "#edae49", "#30638e", "#5c946e", "#8f5f9e", "#b5651d"];
const MOST_POINTS = 50;

/** Add the series through a cell of the picture. */
function addPoint(cell) {
  if (!cell || cell.number === -1 || state.points.length >= MOST_POINTS) return;
  pointAt(indicesOf(cell));
  showTab("series");
  readSeries();
  remember();
}

/** Return the indices of a cell of the picture along all axes of the variable. */
function indicesOf(cell) {
  const { picture } = state, at = [...state.at];
  if (state.isPlaced) return withCell(at, cell.number);
  at[state.x] = picture.x.start + cell.column * picture.x.step;
  if (isMap()) at[state.y] = picture.y.start + cell.row * picture.y.step;
  return at;
}

function pointAt(at) {
  const used = new Set(state.points.map((each) => each.color));
  const color = MARKS.find((each) => !used.has(each)) ?? MARKS[state.points.length % MARKS.length];
  state.points.push({ at, color });
}

function readSeries() {
  const along = byId("along").value === "" ? null : Number(byId("along").value);
  draw();
  byId("side").hidden = state.points.length === 0;
  byId("invitation").hidden = state.points.length > 0;
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
      // JSON has no infinite numbers, so the server sends them as text.
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

/** Return the points with a known series, and the axis of the series. */
function knownSeries() {
  const shown = state.points.filter((each) => each.found?.values);
  return { shown, axis: shown[0]?.found.axis };
}

/** Return the layout of the series in a box; null without series. */
function seriesPlot(box) {
  const { shown, axis } = knownSeries();
  if (!shown.length) return null;
  const values = shown.flatMap((each) => each.found.values).filter(Number.isFinite);
  const length = state.variable.axes[axis.axis].size;
  return { axis, length, shown, ...valueAxis(box, ...extremes(values, 0)),
    x: (index) => box.left + index / length * box.width };
}

function drawSeries(sheet, box) {
  const { axis, length, shown, low, high, height, x } = seriesPlot(box), { pen } = sheet;
  drawFrame(sheet, box);
  drawAcross(sheet, box, x, indexTicks(axis, 0, length), (shared) => axisTitle(axis.axis, shared));
  drawDown(sheet, box, height, valueTicks(low, high), valueTitle);
  for (const each of shown) {
    pen.strokeStyle = pen.fillStyle = each.color;
    const { axis: own, values } = each.found;
    trace(pen, values, (n) => x(own.start + n * own.step + 0.5), height);
  }
}

/** Return the coordinates of a point as text. */
function whereIsPoint(each) {
  return (each.found?.at ?? []).map((text, axis) => `${state.variable.axes[axis].name} = ${text}`).join(", ");
}

function valueOfPoint({ found }) {
  const { units } = state.variable;
  return `${found?.text ?? ""}${units && found?.text !== "missing" ? ` ${units}` : ""}`;
}

function showSeries() {
  const items = state.points.map((each) => {
    const swatch = make("i"), remove = make("button", "Remove", { type: "button" });
    swatch.style.background = each.color;
    remove.addEventListener("click", () => {
      state.points = state.points.filter((other) => other !== each);
      readSeries();
      remember();
    });
    return make("li", "", {}, swatch, document.createTextNode(`${whereIsPoint(each)}: ${valueOfPoint(each)} `), remove);
  });
  byId("points").replaceChildren(...items);
  const isKnown = knownSeries().shown.length > 0;
  byId("side").classList.toggle("alone", !isKnown);
  for (const id of ["series", "series-png", "series-csv"]) byId(id).hidden = !isKnown;
  if (isKnown && state.tab === "series") {
    const sheet = prepared(byId("series"));
    drawSeries(sheet, boxIn(sheet));
  }
}

function readSeriesAt(event) {
  const frame = byId("series").getBoundingClientRect(), box = boxIn(frame), plot = seriesPlot(box);
  if (!plot) return;
  const index = (event.clientX - frame.left - box.left) / box.width * plot.length, { axis } = plot;
  const n = Math.floor((index - axis.start) / axis.step);
  const text = axis.texts[n];
  byId("reading").textContent = text === undefined ? "" : `${state.variable.axes[axis.axis].name} = ${text}: `
    + plot.shown.map((each) => describe(each.found.values[n] ?? NaN)).join("; ");
}
