// The start of the page and its event listeners.

function listen() {
  const number = (id) => (byId(id).value === "" ? null : Number(byId(id).value));
  byId("filter").addEventListener("input", filterList);
  byId("of").addEventListener("change", () => chooseDataset(byId("of").value));
  byId("across").addEventListener("change", () => {
    if (byId("across").value === "map") showAlong(firstAxes(state.variable));
    else if (state.isPlaced) chooseAxes(number("across"), otherAxis(number("across")));
    else chooseAxes(number("across"), number("across") === state.y ? state.x : state.y);
  });
  byId("down").addEventListener("change", () => {
    if (byId("down").value === "map") {
      showAlong(firstAxes(state.variable));
      return;
    }
    if (state.isPlaced) {
      chooseAxes(otherAxis(number("down")) ?? number("down"), number("down"));
      return;
    }
    const y = number("down"), others = state.variable.axes.map((_, axis) => axis).filter((axis) => axis !== y);
    chooseAxes(y === state.x ? state.y ?? others[0] ?? y : state.x, y);
  });
  byId("swap").addEventListener("click", () => chooseAxes(state.y, state.x));
  byId("range").addEventListener("change", recolor);
  for (const id of ["low", "high"]) {
    byId(id).addEventListener("change", () => { byId("range").value = "typed"; recolor(); });
  }
  byId("reverse").addEventListener("change", () => { state.isReversed = byId("reverse").checked; recolor(); });
  byId("log").addEventListener("change", () => { state.isLog = byId("log").checked; recolor(); showSeries(); });
  byId("coast").addEventListener("change", () => {
    state.isCoastShown = byId("coast").checked;
    readCoast();
    draw();
    remember();
  });
  byId("colormaps").addEventListener("toggle", placeColormaps);
  byId("stride").addEventListener("change", () => { state.stride = number("stride"); refresh(); remember(); });
  byId("nearer").addEventListener("click", () => zoom(0.5, ...middle()));
  byId("farther").addEventListener("click", () => zoom(2, ...middle()));
  byId("all").addEventListener("click", () => moveTo(wholeView()));
  byId("along").addEventListener("change", () => { readSeries(); remember(); });
  byId("clear").addEventListener("click", () => { state.points = []; readSeries(); remember(); });
  byId("png").addEventListener("click", savePicture);
  byId("csv").addEventListener("click", saveShown);
  byId("series-png").addEventListener("click", () => savePng(savedSeries(), "series.png"));
  byId("series-csv").addEventListener("click", () => saveCsv(seriesLines(), "series.csv"));
  byId("tabs").addEventListener("click", (event) => {
    if (!event.target.dataset.tab) return;
    showTab(event.target.dataset.tab);
    remember();
  });
  const canvas = byId("picture");
  canvas.addEventListener("pointermove", pull);
  canvas.addEventListener("pointerdown", press);
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointerleave", () => { byId("pointer").textContent = ""; });
  canvas.addEventListener("keydown", pressKey);
  canvas.addEventListener("blur", () => { state.cursor = null; draw(); });
  canvas.addEventListener("wheel", (event) => {
    const cell = cellAt(event);
    event.preventDefault();
    if (cell) zoom(1.0015 ** Math.max(-500, Math.min(500, event.deltaY)), cell.across, cell.down);
  }, { passive: false });
  byId("series").addEventListener("pointermove", readSeriesAt);
  addEventListener("resize", () => { draw(); showSeries(); });
  addEventListener("popstate", followAddress);
  addEventListener("hashchange", followAddress);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { draw(); showSeries(); });
}

async function start() {
  listen();
  const found = await latest("dataset", (signal) => ask("dataset", {}, signal));
  if (!found) {
    document.body.dataset.busy = "no";
    return;
  }
  Object.assign(state, { dataset: found, colormap: found.colormap, isReversed: Boolean(found.reverse), isLog: Boolean(found.log) });
  byId("dataset").replaceChildren(document.createTextNode(`${found.name} `), make("small", found.format));
  listColormaps();
  showList();
  if (found.first === null) say("The dataset has no variables.");
  else await restore();
}

start();
