"use strict";
// The page of `ncz view`. It asks the server that it came from, and nothing else. Names, attributes
// and values of a dataset become text nodes; no markup is made of them.

const byId = (id) => document.getElementById(id);
const MARKS = ["#d1495b", "#00798c", "#edae49", "#30638e", "#5c946e", "#8f5f9e", "#b5651d"];
const CATEGORIES = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1",
  "#ff9da7", "#9c755f", "#86bc86", "#2f4b7c", "#a05195"];
const PLAY_EVERY = 150, ZOOM_DELAY = 120, MOST_PIXELS = 2048, FEW_POINTS = 80;
const MARGIN = { left: 100, right: 12, top: 10, bottom: 46 };
const LINE = 13, TITLE = 20; // pixels of a line of text, and of a vertical title

/** What is shown: the dataset, a variable, where it is cut, and what the server last sent of it. */
const state = { dataset: null, variable: null, x: null, y: null, at: [], view: null, stride: 1,
  limit: null, picture: null, low: 0, high: 1, points: [], playing: null, tab: "attributes",
  rows: 0, columns: 0 };

// Requests. A newer one of the same kind ends the older one, here and on the server.

const pending = new Map();
let waiting = 0;

function busy(more) {
  waiting += more;
  document.body.dataset.busy = waiting ? "yes" : "no";
}

async function ask(path, asked, signal) {
  const query = encodeURIComponent(JSON.stringify(asked));
  let answer;
  try {
    answer = await fetch(`${path}?q=${query}`, { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. It may have ended.");
  }
  if (!answer.ok) throw new Error((await answer.text()).trim());
  if (answer.headers.get("Content-Type") === "application/json") return answer.json();
  const data = await answer.arrayBuffer();
  const length = new DataView(data).getUint32(0, true);
  const found = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  if (found.shape) {
    const rest = data.slice(4 + length);
    found.values = found.size === 4 ? new Float32Array(rest) : new Float64Array(rest);
  }
  return found;
}

/** Run `work` with a signal that ends it when work of the same kind begins; errors are shown. */
async function latest(kind, work) {
  pending.get(kind)?.abort();
  const control = new AbortController();
  pending.set(kind, control);
  busy(1);
  try {
    return await work(control.signal);
  } catch (error) {
    if (error.name !== "AbortError" && !control.signal.aborted) say(error.message);
    return null;
  } finally {
    if (pending.get(kind) === control) pending.delete(kind);
    busy(-1);
  }
}

function make(tag, text = "", attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function say(text, ...buttons) {
  const message = byId("message");
  message.replaceChildren(document.createTextNode(text), ...buttons);
  message.hidden = !text;
}

function fillSelect(select, choices, chosen) {
  select.replaceChildren(...choices.map(([value, text]) => make("option", text, { value })));
  select.value = String(chosen);
}

// The list of variables.

function showList() {
  const list = byId("list");
  let group = null;
  const items = [];
  for (const each of state.dataset.variables) {
    if (each.group !== group) {
      group = each.group;
      if (group) items.push(make("li", `${group}/`, { class: "group" }));
    }
    const shape = each.dimensions.map((name, axis) => `${name}=${each.shape[axis]}`).join(", ");
    const button = make("button", "", { type: "button" }, make("b", each.name));
    button.append(make("span", `${each.type}${shape ? ` (${shape})` : ""}`
      + `${each.units ? `, ${each.units}` : ""}`, { class: "dim" }));
    if (each.title) button.append(make("span", each.title, { class: "dim" }));
    button.addEventListener("click", () => openVariable(each.number));
    const item = make("li", "", {}, button);
    item.words = [each.path, each.type, each.units, each.title].join(" ").toLowerCase();
    item.number = each.number;
    items.push(item);
  }
  list.replaceChildren(...items);
}

function filterList() {
  const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  let heading = null, any = false;
  const end = () => { if (heading) heading.hidden = !any; };
  for (const item of byId("list").children) {
    if (item.words === undefined) {
      end();
      heading = item;
      any = false;
    } else {
      item.hidden = !words.every((word) => item.words.includes(word));
      any ||= !item.hidden;
    }
  }
  end();
}

// A variable: its axes, sliders and controls.

async function openVariable(number) {
  stopPlaying();
  pending.get("picture")?.abort();
  const isFirst = state.variable === null;
  const found = await latest("variable", (signal) => ask("variable", { variable: number }, signal));
  if (!found) return;
  Object.assign(state, { variable: found, x: found.x, y: found.y, view: null, picture: null,
    at: found.axes.map(() => 0), points: [], limit: null, rows: 0, columns: 0,
    stride: state.dataset.stride });
  for (const item of byId("list").children) {
    if (item.number === undefined) continue;
    if (item.number === number) item.firstChild.setAttribute("aria-current", "true");
    else item.firstChild.removeAttribute("aria-current");
  }
  byId("name").textContent = found.path;
  byId("about").textContent = [found.title, found.units && `(${found.units})`,
    found.type, found.axes.map((axis) => `${axis.name}=${axis.size}`).join(", ")]
    .filter(Boolean).join("  ");
  document.title = `${found.path} - ncz view`;
  if (!isFirst) forgetRange();
  showControls();
  showTab();
  await refresh();
}

function isMap() { return state.variable && !state.variable.isText && state.y !== null; }
function isChart() { return state.variable && !state.variable.isText && state.x !== null; }

function showControls() {
  const { variable } = state;
  const axes = variable.axes.map((axis, number) => [number, axis.name]);
  fillSelect(byId("across"), axes, state.x ?? "");
  fillSelect(byId("down"), [["", "none"], ...axes], state.y ?? "");
  fillSelect(byId("stride"), powers(state.stride), state.stride);
  const along = variable.axes.map((axis, number) => [number, axis.name])
    .filter(([number]) => variable.axes[number].size > 1);
  const other = along.find(([number]) => number !== state.x && number !== state.y);
  fillSelect(byId("along"), along, (other ?? along[0] ?? [""])[0]);
  byId("controls").hidden = variable.axes.length === 0;
  byId("swap").hidden = state.y === null;
  for (const id of ["colors", "range", "low", "high", "stride", "zoom"]) {
    (byId(id).closest("label") ?? byId(id)).hidden = variable.isText;
  }
  byId("colors").closest("label").hidden = !isMap() || variable.flags.length > 0;
  byId("pointer").textContent = "";
  byId("side").hidden = true;
  byId("views").classList.remove("beside");
  showSliders();
}

function powers(stride) {
  const steps = new Set([1, stride]);
  for (let n = 2; n <= 4096; n *= 2) steps.add(n);
  return [...steps].sort((a, b) => a - b).map((n) => [n, n === 1 ? "index" : `${n} indices`]);
}

function showSliders() {
  const rows = state.variable.axes.map((axis, number) => {
    if (number === state.x || number === state.y || axis.size < 2) return null;
    const slider = make("input", "", { type: "range", min: 0, max: axis.size - 1, step: 1,
      value: state.at[number], "aria-label": axis.name });
    slider.value = state.at[number];
    const place = make("output", `[${state.at[number]}]`);
    place.dataset.axis = number;
    const play = make("button", "Play", { type: "button" });
    slider.addEventListener("input", () => {
      state.at[number] = Number(slider.value);
      refresh();
    });
    play.addEventListener("click", () => {
      if (state.playing?.play === play) stopPlaying();
      else startPlaying(number, slider, play);
    });
    return make("div", "", { class: "slider" }, make("span", axis.name), slider, place, play);
  });
  byId("sliders").replaceChildren(...rows.filter(Boolean));
}

function stopPlaying() {
  if (state.playing) state.playing.play.textContent = "Play";
  state.playing = null;
}

async function startPlaying(number, slider, play) {
  stopPlaying();
  const mine = { play };
  state.playing = mine;
  play.textContent = "Stop";
  while (state.playing === mine) {
    const begun = performance.now();
    state.at[number] = (state.at[number] + 1) % state.variable.axes[number].size;
    slider.value = state.at[number];
    if (!await refresh()) break;
    const rest = PLAY_EVERY - (performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, rest)));
  }
  if (state.playing === mine) stopPlaying();
}

function showPlaces(places) {
  for (const place of byId("sliders").querySelectorAll("output")) {
    place.textContent = places[Number(place.dataset.axis)] || `[${state.at[place.dataset.axis]}]`;
  }
}

// What is read: a picture, coarse first if it takes long; a table; or one value.

function refresh(coarse = true) {
  const { variable } = state;
  arrange();
  if (variable.isText) return showTable();
  return isChart() ? readPicture(coarse) : showValue();
}

/** Show what the variable needs. Canvases get their sizes by it, so it precedes all drawing. */
function arrange() {
  const { variable } = state;
  byId("picture").parentElement.hidden = !isChart();
  byId("scale").hidden = !isMap() || isCategorical();
  byId("legend").hidden = !isMap() || !isCategorical();
  byId("table").hidden = !variable.isText;
  byId("value").hidden = variable.isText || isChart();
}

function wholeView() {
  const size = (axis) => (axis === null ? 1 : state.variable.axes[axis].size);
  return { x0: 0, x1: size(state.x), y0: 0, y1: size(state.y) };
}

function readPicture(coarse) {
  state.view ??= wholeView();
  return latest("picture", async (signal) => {
    const { view } = state, box = plotBox(byId("picture"));
    const dense = (length) => Math.max(1, Math.min(MOST_PIXELS, Math.round(length * devicePixelRatio)));
    const asked = { variable: state.variable.number, x: state.x, y: state.y, at: [...state.at],
      xs: [Math.floor(view.x0), Math.ceil(view.x1)], pixels: [dense(box.width), dense(box.height)],
      stride: state.stride, limit: state.limit, coarse };
    if (state.y !== null) asked.ys = [Math.floor(view.y0), Math.ceil(view.y1)];
    for (const axis of [state.x, state.y]) if (axis !== null) asked.at[axis] = 0;
    let found = await ask("picture", asked, signal);
    if (found.values) showPicture(found);
    if (found.isFinal === false) {
      found = await ask("picture", { ...asked, coarse: false }, signal);
      if (found.values) showPicture(found);
    }
    if (found.values) say(found.values.some((value) => value === value) ? "" : "All values are missing.");
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

/** Say that a read is large, and let the user choose a stride or read all. */
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

async function showTable() {
  say("");
  const isWide = state.y !== null;
  const found = await latest("picture", (signal) => {
    const at = [...state.at];
    for (const axis of [state.x, state.y]) if (axis !== null) at[axis] = 0;
    const asked = { variable: state.variable.number, x: state.x, y: state.y, at, limit: state.limit };
    const rows = [state.rows, state.rows + 1];
    if (isWide) Object.assign(asked, { ys: rows, xs: [state.columns, state.columns + 1] });
    else asked.ys = rows;
    return ask("table", asked, signal);
  });
  if (!found) return false;
  const table = byId("table");
  if (found.tooLarge || found.empty) {
    table.replaceChildren();
    if (found.tooLarge) offer(found.tooLarge, () => refresh());
    else say(`There is nothing to show: ${found.empty}.`);
    return false;
  }
  showPlaces(found.at);
  const body = found.cells.map((row, number) => make("tr", "", {},
    ...(found.y ? [make("th", found.y.texts[number])] : []), ...row.map((cell) => make("td", cell))));
  if (found.x) {
    body.unshift(make("tr", "", {}, make("th"), ...found.x.texts.map((text) => make("th", text))));
  }
  const turn = (name, axis, shown) => {
    if (axis === null || state.variable.axes[axis].size <= shown && !state[name]) return [];
    const size = state.variable.axes[axis].size, first = state[name];
    const step = (text, start) => {
      const button = make("button", text, { type: "button" });
      button.disabled = start < 0 || start >= size;
      button.addEventListener("click", () => { state[name] = start; refresh(); });
      return button;
    };
    return [make("p", "", {}, step("Previous", first ? Math.max(0, first - shown) : -1),
      make("span", ` ${name} ${first} to ${Math.min(size, first + shown) - 1} of ${size} `),
      step("Next", first + shown))];
  };
  table.replaceChildren(...turn("rows", isWide ? state.y : state.x, 200),
    ...(isWide ? turn("columns", state.x, 20) : []), make("table", "", {}, ...body));
  return true;
}

// Colours and their range.

function shownValues() {
  return state.picture ? state.picture.values.filter(Number.isFinite) : [];
}

/** Leave the range of another variable. */
function forgetRange() {
  if (["locked", "typed"].includes(byId("range").value)) byId("range").value = "whole";
  byId("low").value = byId("high").value = "";
}

function showRange() {
  const mode = byId("range").value, isDiverging = state.dataset.diverging.includes(byId("colors").value);
  if (mode === "locked") return;
  let [low, high] = extremes(shownValues(), mode === "robust" ? 0.02 : 0);
  if (isDiverging && isMap()) {
    high = Math.max(Math.abs(low), Math.abs(high));
    low = -high;
  }
  if (mode === "typed") {
    const typed = (id, other) => {
      const text = byId(id).value.trim(), number = Number(text);
      return text && Number.isFinite(number) ? number : other;
    };
    [low, high] = [typed("low", low), typed("high", high)].sort((a, b) => a - b);
  } else {
    byId("low").value = brief(low, 7);
    byId("high").value = brief(high, 7);
  }
  Object.assign(state, { low, high });
}

/** Return the least and the largest value, without a part of the values at each end. */
function extremes(known, part) {
  if (!known.length) return [0, 1];
  if (part) {
    const sorted = Float64Array.from(known).sort();
    return [quantile(sorted, part), quantile(sorted, 1 - part)];
  }
  let low = Infinity, high = -Infinity;
  for (const value of known) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function quantile(sorted, part) {
  const place = part * (sorted.length - 1), before = Math.floor(place);
  const after = Math.min(before + 1, sorted.length - 1);
  return sorted[before] + (sorted[after] - sorted[before]) * (place - before);
}

/** Return a number with the digits that the type has; integers have all, unless they are too large. */
function format(value, digits = state.variable?.isSingle ? 7 : 15) {
  if (value === null || Number.isNaN(value)) return "missing";
  if (Number.isSafeInteger(value)) return String(value);
  const isAbout = Number.isInteger(value) && digits === 15 && Math.abs(value) < 1e20;
  return `${isAbout ? "about " : ""}${Number(value.toPrecision(digits))}`;
}

/** Return a number with few digits, and with an exponent if it is far from 1. */
function brief(value, digits = 12) {
  const rounded = Number(value.toPrecision(digits)), size = Math.abs(rounded);
  const isFar = size >= 1e9 || (size > 0 && size < 1e-4);
  return (isFar ? rounded.toExponential() : String(rounded)).replace("e+", "e");
}

function flagsOf(value) {
  return state.variable.flags.filter((flag) =>
    (flag.mask === null ? value : Number(BigInt(value) & BigInt(flag.mask))) === flag.value);
}

function describe(value) {
  const names = Number.isInteger(value) ? flagsOf(value).map((flag) => flag.name).join(", ") : "";
  const text = `${format(value)}${state.variable.units && !Number.isNaN(value) ? ` ${state.variable.units}` : ""}`;
  return names ? `${names} (${text})` : text;
}

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

// Drawing.

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

/** Functions that turn indices of the picture into places on the canvas, and back. */
function placing(box) {
  const { view, picture } = state, isUp = Boolean(picture?.y?.goesUp);
  const wide = box.width / (view.x1 - view.x0), high = box.height / (view.y1 - view.y0);
  return {
    isUp,
    x: (index) => box.left + (index - view.x0) * wide,
    y: (index) => (isUp ? box.top + box.height - (index - view.y0) * high : box.top + (index - view.y0) * high),
    index: (x, y) => [view.x0 + (x - box.left) / wide,
      isUp ? view.y0 + (box.top + box.height - y) / high : view.y0 + (y - box.top) / high],
  };
}

function draw() {
  const canvas = byId("picture");
  if (!state.variable || canvas.parentElement.hidden) return;
  const paper = prepared(canvas), box = plotBox(canvas), { pen } = paper;
  if (!state.picture) {
    prepared(byId("scale"));
    byId("legend").replaceChildren();
    return;
  }
  const to = placing(box);
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  if (isMap()) drawMap(pen, to);
  else drawLine(pen, box, to, paper);
  state.points.forEach((point) => drawMark(pen, box, to, point));
  pen.restore();
  pen.strokeStyle = paper.line;
  pen.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 1, box.height - 1);
  drawAcross(pen, box, to.x, state.picture.x, state.view.x0, state.view.x1, axisTitle(state.x), paper);
  if (isMap()) {
    const ticks = axisTicks(state.picture.y, state.view.y0, state.view.y1, box.height / 45);
    drawDown(pen, box, ticks.map(([index, text]) => [to.y(index), text]), axisTitle(state.y));
    if (isCategorical()) showLegend();
    else drawScale();
  }
}

function drawMap(pen, to) {
  const { values, shape, x, y } = state.picture, [rows, columns] = shape, color = colorOf();
  const image = new ImageData(columns, rows), data = image.data;
  for (let row = 0; row < rows; row++) {
    let from = (to.isUp ? rows - 1 - row : row) * columns, place = row * columns * 4;
    for (let column = 0; column < columns; column++, from++, place += 4) {
      const value = values[from];
      if (!Number.isFinite(value)) continue; // missing and infinite values are transparent
      const parts = color(value);
      data[place] = parts[0];
      data[place + 1] = parts[1];
      data[place + 2] = parts[2];
      data[place + 3] = 255;
    }
  }
  const sheet = document.createElement("canvas");
  sheet.width = columns;
  sheet.height = rows;
  sheet.getContext("2d").putImageData(image, 0, 0);
  const [left, right] = [to.x(x.start), to.x(x.start + columns * x.step)];
  const ends = [to.y(y.start), to.y(y.start + rows * y.step)];
  pen.imageSmoothingEnabled = false;
  pen.drawImage(sheet, left, Math.min(...ends), right - left, Math.abs(ends[1] - ends[0]));
}

function drawLine(pen, box, to, paper) {
  const { values, x } = state.picture, pad = (state.high - state.low || Math.abs(state.high) || 1) * 0.05;
  const isBars = state.variable.axes[state.x].isCategory && !isCategorical();
  let [low, high] = [state.low - pad, state.high + pad];
  if (isBars) [low, high] = [Math.min(0, low), Math.max(0, high)];
  const height = (value) => box.top + box.height - (value - low) / (high - low) * box.height;
  state.height = height;
  const where = (n) => to.x(x.start + n * x.step + 0.5);
  pen.strokeStyle = pen.fillStyle = getComputedStyle(document.body).getPropertyValue("--accent");
  if (isBars) {
    const half = Math.max(1, (to.x(x.step) - to.x(0)) * 0.4);
    values.forEach((value, n) => {
      if (Number.isFinite(value)) pen.fillRect(where(n) - half, Math.min(height(value), height(0)), 2 * half,
        Math.max(1, Math.abs(height(value) - height(0))));
    });
  } else {
    trace(pen, values, where, height);
  }
  pen.restore();
  pen.save();
  pen.fillStyle = paper.text;
  const ticks = isCategorical()
    ? state.variable.flags.map((flag) => [height(flag.value), flag.name])
    : numberTicks(low, high, box, height);
  drawDown(pen, box, ticks, state.variable.units || state.variable.path);
}

/** Draw values as a line, with gaps where they are missing, and dots if they are few. */
function trace(pen, values, where, height) {
  let begins = true;
  pen.lineWidth = 1.5;
  pen.beginPath();
  values.forEach((value, n) => {
    if (!Number.isFinite(value)) {
      begins = true;
      return;
    }
    if (begins) pen.moveTo(where(n), height(value));
    else pen.lineTo(where(n), height(value));
    begins = false;
  });
  pen.stroke();
  if (values.length > FEW_POINTS) return;
  values.forEach((value, n) => {
    if (!Number.isFinite(value)) return;
    pen.beginPath();
    pen.arc(where(n), height(value), 2.5, 0, 7);
    pen.fill();
  });
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

function drawMark(pen, box, to, point) {
  const x = to.x(point.at[state.x] + 0.5);
  const y = isMap() ? to.y(point.at[state.y] + 0.5) : state.height?.(point.value);
  if (!Number.isFinite(y)) return;
  pen.lineWidth = 3;
  for (const color of ["#fff", point.color]) {
    pen.strokeStyle = color;
    pen.beginPath();
    pen.arc(x, y, 5, 0, 7);
    pen.stroke();
    pen.lineWidth = 1.5;
  }
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

// The pointer: values under it, zoom, pan, and points whose series are compared.

/** Return the row and the column of the value at a place of the canvas, and the place's indices. */
function cellAt(event) {
  const { picture } = state;
  if (!picture) return null;
  const canvas = byId("picture"), frame = canvas.getBoundingClientRect(), box = plotBox(canvas);
  const x = event.clientX - frame.left, y = event.clientY - frame.top;
  if (x < box.left || y < box.top || x >= box.left + box.width || y >= box.top + box.height) return null;
  const [ix, iy] = placing(box).index(x, y);
  const column = Math.floor((ix - picture.x.start) / picture.x.step);
  const row = isMap() ? Math.floor((iy - picture.y.start) / picture.y.step) : 0;
  if (column < 0 || row < 0 || column >= picture.shape[1] || row >= picture.shape[0]) return null;
  return { column, row, ix, iy, value: picture.values[row * picture.shape[1] + column] };
}

function point(event) {
  const cell = cellAt(event);
  if (!cell) {
    byId("pointer").textContent = "";
    return;
  }
  const { axes } = state.variable, { picture } = state;
  const places = [[state.x, picture.x.texts[cell.column]]];
  if (isMap()) places.unshift([state.y, picture.y.texts[cell.row]]);
  const where = places.map(([axis, text]) =>
    `${axes[axis].name} = ${text}${axes[axis].units ? ` ${axes[axis].units}` : ""}`).join(", ");
  byId("pointer").textContent = `${where}: ${describe(cell.value)}`;
}

function zoom(factor, ix, iy) {
  const all = wholeView(), { view } = state;
  const near = (low, high, at, size) => {
    const span = Math.min(size, Math.max(Math.min(size, 4), (high - low) * factor));
    const start = Math.max(0, Math.min(size - span, at - (at - low) * span / (high - low)));
    return [start, start + span];
  };
  const [x0, x1] = near(view.x0, view.x1, ix, all.x1);
  const [y0, y1] = isMap() ? near(view.y0, view.y1, iy, all.y1) : [0, 1];
  moveTo({ x0, x1, y0, y1 });
}

let finer = null;

/** Show another part: what is known of it at once, and finer data soon. */
function moveTo(view) {
  state.view = view;
  draw();
  if (finer === null) busy(1);
  clearTimeout(finer);
  finer = setTimeout(() => {
    finer = null;
    refresh(false);
    busy(-1);
  }, ZOOM_DELAY);
}

function middle() { return [(state.view.x0 + state.view.x1) / 2, (state.view.y0 + state.view.y1) / 2]; }

let drag = null;

function press(event) {
  const cell = cellAt(event);
  if (!cell || event.button) return;
  drag = { x: event.clientX, y: event.clientY, view: state.view, moved: false };
  event.target.setPointerCapture(event.pointerId);
}

function pull(event) {
  if (!drag) {
    point(event);
    return;
  }
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  if (!drag.moved && Math.hypot(dx, dy) < 4) return;
  drag.moved = true;
  const box = plotBox(byId("picture")), all = wholeView(), { view } = drag;
  const shift = (low, high, by, size) => {
    const start = Math.max(0, Math.min(size - (high - low), low - by));
    return [start, start + high - low];
  };
  const up = placing(box).isUp ? -1 : 1;
  const [x0, x1] = shift(view.x0, view.x1, dx / box.width * (view.x1 - view.x0), all.x1);
  const [y0, y1] = shift(view.y0, view.y1, up * dy / box.height * (view.y1 - view.y0), all.y1);
  moveTo({ x0, x1, y0, y1 });
}

function release(event) {
  if (drag && !drag.moved) addPoint(event);
  drag = null;
}

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

// Tabs.

const TABS = {
  attributes: async () => {
    const { variable } = state;
    return [["Variable", variable.attributes], ["Group", variable.groupAttributes],
      ["Dataset", variable.rootAttributes]].filter(([, rows]) => rows.length)
      .flatMap(([title, rows]) => [make("h3", title), rowsTable(rows)]);
  },
  header: async (signal) => {
    const found = await ask("header", {}, signal);
    return [make("pre", found.text), ...(found.isWhole ? [] : [make("p", "The rest is left out.")])];
  },
  storage: async (signal, limit) => {
    const found = await ask("storage", { variable: state.variable.number, limit }, signal);
    const parts = [rowsTable(found.rows)];
    if (found.uncounted) {
      parts.push(again(`Find the sizes of ${found.uncounted} chunks`, "storage", found.uncounted));
    }
    if (found.chunks?.length) {
      const largest = Math.max(...found.chunks.map(([, count, , size]) => size / count)) || 1;
      const cells = found.chunks.map(([first, count, present, size]) => {
        const kind = present === count ? "full" : present ? "part" : "none";
        const what = count === 1 ? `chunk ${first}` : `chunks ${first} to ${first + count - 1}`;
        const cell = make("i", "", { class: kind, title: `${what}: ${present} of ${count} stored, ${size} bytes` });
        if (present) cell.style.opacity = 0.3 + 0.7 * size / count / largest;
        return cell;
      });
      const grid = make("div", "", { class: "cells" }, ...cells);
      grid.style.gridTemplateColumns = `repeat(${found.columns}, 10px)`;
      parts.push(make("h3", "Chunks"), grid);
    }
    return parts;
  },
  statistics: async (signal, limit) => {
    const found = await ask("statistics", { variable: state.variable.number, limit }, signal);
    if (found.tooLarge) {
      return [make("p", `${found.tooLarge.text[0].toUpperCase()}${found.tooLarge.text.slice(1)}.`),
        again(`Read ${found.tooLarge.size}`, "statistics", found.tooLarge.need)];
    }
    if (!found.rows.length) return [make("p", "The values are not numbers.")];
    const parts = [rowsTable(found.rows)];
    if (found.histogram.length) {
      const most = Math.max(...found.histogram) || 1, width = (found.range[1] - found.range[0]) / found.histogram.length;
      const bars = found.histogram.map((count, n) => {
        const bar = make("i", "", { title: `${brief(found.range[0] + n * width, 7)} to ${brief(found.range[0] + (n + 1) * width, 7)}: ${count}` });
        bar.style.height = `${count / most * 100}%`;
        return bar;
      });
      parts.push(make("h3", "Distribution"), make("div", "", { class: "bars" }, ...bars),
        make("div", "", { class: "ends" }, make("span", brief(found.range[0], 7)), make("span", brief(found.range[1], 7))));
    }
    return parts;
  },
};

function rowsTable(rows) {
  return make("table", "", {}, ...rows.map(([name, text]) =>
    make("tr", "", {}, make("th", name), make("td", text))));
}

function again(text, tab, limit) {
  const button = make("button", text, { type: "button" });
  button.addEventListener("click", () => showTab(tab, limit));
  return button;
}

async function showTab(name = state.tab, limit = null) {
  state.tab = name;
  for (const button of byId("tabs").children) {
    if (button.dataset.tab === name) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  byId("tab").replaceChildren();
  const parts = await latest("tab", (signal) => TABS[name](signal, limit));
  if (parts) byId("tab").replaceChildren(...parts);
}

// The start.

function chooseAxes(x, y) {
  Object.assign(state, { x, y: y === x ? null : y, view: null, picture: null, points: [] });
  showControls();
  refresh();
}

function listen() {
  const number = (id) => (byId(id).value === "" ? null : Number(byId(id).value));
  byId("filter").addEventListener("input", filterList);
  byId("across").addEventListener("change", () => {
    chooseAxes(number("across"), number("across") === state.y ? state.x : state.y);
  });
  byId("down").addEventListener("change", () => {
    const y = number("down"), others = state.variable.axes.map((_, axis) => axis).filter((axis) => axis !== y);
    chooseAxes(y === state.x ? state.y ?? others[0] ?? y : state.x, y);
  });
  byId("swap").addEventListener("click", () => chooseAxes(state.y, state.x));
  const recolor = () => { showRange(); draw(); };
  byId("colors").addEventListener("change", recolor);
  byId("range").addEventListener("change", recolor);
  for (const id of ["low", "high"]) {
    byId(id).addEventListener("change", () => { byId("range").value = "typed"; recolor(); });
  }
  byId("stride").addEventListener("change", () => { state.stride = number("stride"); refresh(); });
  byId("nearer").addEventListener("click", () => zoom(0.5, ...middle()));
  byId("farther").addEventListener("click", () => zoom(2, ...middle()));
  byId("all").addEventListener("click", () => moveTo(wholeView()));
  byId("along").addEventListener("change", readSeries);
  byId("clear").addEventListener("click", () => { state.points = []; readSeries(); });
  byId("tabs").addEventListener("click", (event) => {
    if (event.target.dataset.tab) showTab(event.target.dataset.tab);
  });
  const canvas = byId("picture");
  canvas.addEventListener("pointermove", pull);
  canvas.addEventListener("pointerdown", press);
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointerleave", () => { byId("pointer").textContent = ""; });
  canvas.addEventListener("wheel", (event) => {
    const cell = cellAt(event);
    event.preventDefault();
    if (cell) zoom(1.0015 ** Math.max(-500, Math.min(500, event.deltaY)), cell.ix, cell.iy);
  }, { passive: false });
  byId("series").addEventListener("pointermove", readSeriesAt);
  addEventListener("resize", () => { draw(); showSeries(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { draw(); showSeries(); });
}

async function start() {
  listen();
  const found = await latest("dataset", (signal) => ask("dataset", {}, signal));
  if (!found) {
    document.body.dataset.busy = "no";
    return;
  }
  state.dataset = found;
  byId("dataset").replaceChildren(document.createTextNode(`${found.name} `), make("small", found.format));
  fillSelect(byId("colors"), Object.keys(found.colormaps).map((name) => [name, name]), found.colormap);
  if (found.low !== null || found.high !== null) {
    byId("low").value = found.low ?? "";
    byId("high").value = found.high ?? "";
    byId("range").value = "typed";
  } else {
    byId("range").value = found.range;
  }
  showList();
  if (found.first === null) say("The dataset has no variables.");
  else await openVariable(found.first);
}

start();
