// The start of the page, and what it listens to.

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
