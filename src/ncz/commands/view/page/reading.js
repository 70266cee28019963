// Reading a picture (a coarse one first if it takes long), a table or one value.

const MOST_PIXELS = 2048;

function refresh(coarse = true) {
  const { variable } = state;
  arrange();
  if (variable.isText) return showTable();
  return isChart() ? readPicture(coarse) : showValue();
}

/** Show the elements that the variable needs. This sets the sizes of canvases, so it precedes all drawing. */
function arrange() {
  const { variable } = state;
  byId("figure").hidden = !isChart();
  byId("panel").classList.toggle("text", !isChart());
  byId("scale").hidden = !isMap() || isCategorical();
  byId("legend").hidden = !isMap() || !isCategorical();
  byId("table").hidden = !variable.isText;
  byId("png").hidden = !isChart();
  byId("csv").hidden = !isChart() && !variable.isText;
  byId("value").hidden = variable.isText || isChart();
}

function readPicture(coarse) {
  state.view ??= wholeView();
  readCoast();
  return latest("picture", async (signal) => {
    const box = shownBox();
    const dense = (length) => Math.max(1, Math.min(MOST_PIXELS, Math.round(length * devicePixelRatio)));
    const asked = { variable: state.variable.number, at: [...state.at], pixels: [dense(box.width), dense(box.height)],
      stride: state.stride, limit: state.limit, coarse, ...askedPart() };
    for (const axis of shownAxes()) asked.at[axis] = 0;
    let found = await ask("picture", asked, signal);
    if (found.values) showPicture(found);
    if (found.isFinal === false) {
      found = await ask("picture", { ...asked, coarse: false }, signal);
      if (found.values) showPicture(found);
    }
    if (found.values) say(noteOf(found));
    else if (found.tooLarge) {
      showPlaces(found.at);
      offer(found.tooLarge, () => refresh());
    } else if (found.empty) {
      state.picture = null;
      draw();
      say(`There is nothing to show: ${found.empty}.`);
    }
    return found.values !== undefined;
  });
}

/** Return the visible part of the variable: a box of the map, or indices along the axes. */
function askedPart() {
  const { view, rulers, variable: { axes }, x, y } = state;
  if (state.isPlaced) return { box: [view.x0, Math.max(-90, view.y0), view.x1, Math.min(90, view.y1)] };
  const xs = indicesBetween(rulers.x, axes[x].size, view.x0, view.x1);
  return y === null ? { x, xs } : { x, y, xs, ys: indicesBetween(rulers.y, axes[y].size, view.y0, view.y1) };
}

/** Return notes on a picture. A recorded page, which cannot read more, also notes the indices that it skips. */
function noteOf(picture) {
  if (!picture.values.some((value) => value === value)) {
    if (!coarseAxes(picture).length) return "All values are missing.";
    return recorded ? "All visible values are missing." : "All values that were read are missing; zoom in to read others.";
  }
  return [...(recorded ? coarseAxes(picture).map((text) => `${text} is shown.`) : []), withoutLogarithm()].filter(Boolean).join(" ");
}

/** Describe the axes along which a picture skips indices. */
function coarseAxes({ x, y }) {
  return [y, x].filter((axis) => axis?.step > 1 && axis.axis !== null)
    .map((axis) => `One in ${axis.step} indices along ${state.variable.axes[axis.axis].name}`);
}

function withoutLogarithm() {
  const count = isLogarithmic() ? shownValues().filter((value) => value <= 0).length : 0;
  if (!count) return "";
  return `${count === 1 ? "1 value of 0 or less is" : `${count} values of 0 or less are`} missing on the logarithmic scale.`;
}

/** Show that a read is large, and let the user choose a stride or read everything. */
function offer(large, again) {
  const buttons = [];
  if (large.stride) {
    const every = make("button", `Show every ${large.stride}`, { type: "button" });
    every.addEventListener("click", () => {
      state.stride = large.stride;
      fillSelect(byId("stride"), powers(state.stride), state.stride);
      again();
    });
    buttons.push(every);
  }
  const all = make("button", `Read ${large.size}`, { type: "button" });
  all.addEventListener("click", () => {
    state.limit = large.need;
    again();
  });
  say(`${large.text[0].toUpperCase()}${large.text.slice(1)}.`, ...buttons, all);
}

function showPicture(found) {
  state.picture = found;
  showPlaces(found.at);
  showRange();
  draw();
}

async function showValue() {
  say("");
  const found = await latest("picture", (signal) =>
    ask("series", { variable: state.variable.number, at: state.at }, signal));
  if (!found) return false;
  byId("value").textContent = found.empty ? found.empty
    : `${found.text}${state.variable.units ? ` ${state.variable.units}` : ""}`;
  return true;
}
