// A variable: its axes and controls.

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

function showControls() {
  const { variable } = state;
  const axes = variable.axes.map((axis, number) => [number, axis.name]);
  fillSelect(byId("across"), axes, state.x ?? "");
  fillSelect(byId("down"), [["", "none"], ...axes], state.y ?? "");
  fillSelect(byId("stride"), powers(state.stride), state.stride);
  const along = variable.axes.map((axis, number) => [number, axis.name])
    .filter(([number]) => variable.axes[number].size > 1 && (!recorded || number === state.x || number === state.y));
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
