// A variable: its axes and controls.

/** Show a variable; `asked` is what the address says of it. */
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
  const { variable, x, y } = state;
  Object.assign(state, { x: variable.x, y: variable.y, view: null, at: variable.axes.map(() => 0),
    points: [], cursor: null, rows: 0, columns: 0, stride: state.dataset.stride });
  measureAxes();
  showVariable();
  applyAddress(asked);
  if (state.x !== x || state.y !== y) state.picture = null;
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

function showControls() {
  const { variable } = state;
  const axes = variable.axes.map((axis, number) => [number, axis.name]);
  fillSelect(byId("across"), axes, state.x ?? "");
  fillSelect(byId("down"), [["", "none"], ...axes], state.y ?? "");
  fillSelect(byId("stride"), powers(state.stride), state.stride);
  const along = variable.axes.map((axis, number) => [number, axis.name])
    .filter(([number]) => variable.axes[number].size > 1 && (!recorded || number === state.x || number === state.y));
  const other = along.find(([number]) => number !== state.x && number !== state.y);
  const time = along.find(([number]) => variable.axes[number].kind === "T");
  fillSelect(byId("along"), along, (other ?? time ?? along[0] ?? [""])[0]);
  byId("controls").hidden = variable.axes.length === 0;
  byId("swap").hidden = state.y === null;
  for (const id of ["coloring", "ranging", "zoom"]) byId(id).hidden = variable.isText;
  byId("stride").closest("label").hidden = variable.isText;
  byId("coloring").hidden = !isMap() || isCategorical();
  byId("ranging").hidden ||= isCategorical();
  byId("tabs").querySelector("[data-tab=series]").hidden = !isChart();
  byId("pointer").textContent = "";
  byId("coasting").hidden = !hasCoast();
  byId("coast").checked = state.isCoastShown;
  showColors();
  showSliders();
}

/** Show a part of the variable along other axes. */
function chooseAxes(x, y) {
  Object.assign(state, { x, y: y === x ? null : y, view: null, picture: null, points: [], cursor: null });
  measureAxes();
  showControls();
  readSeries();
  refresh();
  remember();
}

function powers(stride) {
  const steps = new Set([1, stride]);
  for (let n = 2; n <= 4096; n *= 2) steps.add(n);
  return [...steps].sort((a, b) => a - b).map((n) => [n, n === 1 ? "index" : `${n} indices`]);
}
