// A variable: its axes and controls.

/** Show a variable; `asked` has the parts of the address. */
async function openVariable(number, asked = {}) {
  stopPlaying();
  pending.get("picture")?.abort();
  const isFirst = state.variable === null;
  if (state.variable?.number !== number || !asked.keeps) {
    const found = await latest("variable", (signal) => ask("variable", { variable: number }, signal));
    if (!found) return;
    Object.assign(state, { variable: found, picture: null, limit: null });
    if (!isFirst) forgetRange();
  }
  const { variable, x, y, isPlaced } = state;
  Object.assign(state, { ...firstAxes(variable), view: null, at: variable.axes.map(() => 0),
    points: [], cursor: null, rows: 0, columns: 0, stride: state.dataset.stride });
  measureAxes();
  showVariable();
  applyAddress(asked);
  if (state.x !== x || state.y !== y || state.isPlaced !== isPlaced) state.picture = null;
  state.view ??= wholeView();
  showControls();
  if (asked.along !== undefined) byId("along").value = String(asked.along);
  if (!isChart() && state.tab === "series") state.tab = "attributes";
  showTab();
  readSeries();
  await refresh();
}

async function chooseVariable(number) {
  await openVariable(number);
  remember();
}

function showVariable() {
  const { variable } = state;
  for (const item of byId("list").children) {
    if (item.number === undefined) continue;
    if (item.number === variable.number) item.firstChild.setAttribute("aria-current", "true");
    else item.firstChild.removeAttribute("aria-current");
  }
  byId("name").textContent = variable.path;
  byId("about").textContent = [variable.title, variable.units && `(${variable.units})`,
    variable.type, variable.axes.map((axis) => `${axis.name}=${axis.size}`).join(", ")]
    .filter(Boolean).join("  ");
  document.title = `${variable.path} - ncz view`;
}

/** Return the default axes of a variable: the axes of the map if its cells have places on the map. */
function firstAxes({ x, y, placed }) {
  return placed ? { x: null, y: null, isPlaced: true } : { x, y, isPlaced: false };
}

function showControls() {
  const { variable } = state;
  const axes = variable.axes.map((axis, number) => [number, axis.name]);
  const onMap = (text) => (variable.placed ? [["map", text]] : []);
  fillSelect(byId("across"), [...onMap("longitude"), ...axes], state.isPlaced ? "map" : state.x ?? "");
  fillSelect(byId("down"), [...onMap("latitude"), ["", "none"], ...axes], state.isPlaced ? "map" : state.y ?? "");
  fillSelect(byId("stride"), powers(state.stride), state.stride);
  const along = variable.axes.map((axis, number) => [number, axis.name])
    .filter(([number]) => variable.axes[number].size > 1 && (!recorded || (shownAxes().includes(number) && !state.isPlaced)));
  const other = along.find(([number]) => !shownAxes().includes(number));
  const time = along.find(([number]) => variable.axes[number].kind === "T");
  fillSelect(byId("along"), along, (other ?? time ?? along[0] ?? [""])[0]);
  byId("along").closest("label").hidden = along.length === 0;
  byId("controls").hidden = variable.axes.length === 0;
  byId("swap").hidden = state.y === null || state.isPlaced;
  for (const id of ["coloring", "ranging", "zoom"]) byId(id).hidden = variable.isText;
  byId("stride").closest("label").hidden = variable.isText;
  byId("coloring").hidden = !isMap() || isCategorical();
  byId("ranging").hidden ||= isCategorical();
  byId("tabs").querySelector("[data-tab=series]").hidden = !isChart();
  byId("pointer").textContent = "";
  byId("coasting").hidden = !hasCoast();
  byId("coast").checked = state.isCoastShown;
  listDatasets();
  showColors();
  showSliders();
}

/** Show the variable along other axes. */
function chooseAxes(x, y) {
  showAlong({ x, y: y === x ? null : y, isPlaced: false });
}

function showAlong(axes) {
  Object.assign(state, { ...axes, view: null, picture: null, points: [], cursor: null });
  measureAxes();
  showControls();
  readSeries();
  refresh();
  remember();
}

/** Return an axis other than `axis`, preferably a default axis; null if the variable has only one. */
function otherAxis(axis) {
  const { variable: { x, y, axes } } = state;
  return [x, y, ...axes.keys()].find((other) => other !== null && other !== axis) ?? null;
}

function powers(stride) {
  const steps = new Set([1, stride]);
  for (let n = 2; n <= 4096; n *= 2) steps.add(n);
  return [...steps].sort((a, b) => a - b).map((n) => [n, n === 1 ? "index" : `${n} indices`]);
}
