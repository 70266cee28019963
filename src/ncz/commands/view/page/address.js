// The address of the page; the part after "#" is the state of the view: `#variable=t&at=time:3&range=0:5`.

const REST = 150; // milliseconds to wait after the last of several changes

let remembered = ""; // the text of the current address
let later = null; // the timer for the end of a continuing change, such as a moving slider

function encoded(text) { return encodeURIComponent(text).replaceAll("%2F", "/"); }

/** Return the name of an axis, or its number if several axes have the same name. */
function axisName(number) {
  const { axes } = state.variable, { name } = axes[number];
  return axes.filter((axis) => axis.name === name).length > 1 ? String(number) : encoded(name);
}

/** Return the state of the view as text, without the parts that have their default. */
function addressText() {
  const { variable, dataset, view, x, y, points } = state, entries = [["variable", encoded(variable.path)]];
  const add = (key, value, isNeeded) => { if (isNeeded) entries.push([key, value]); };
  add("show", state.of, state.of !== "");
  const axes = variable.axes.map((_, number) => number), few = (number) => String(Number(number.toPrecision(8)));
  const first = firstAxes(variable), isOther = x !== first.x || y !== first.y;
  add("across", x === null ? "" : axisName(x), isOther);
  add("down", y === null ? "none" : axisName(y), isOther);
  const cut = axes.filter((axis) => !shownAxes().includes(axis) && state.at[axis] > 0);
  add("at", cut.map((axis) => `${axisName(axis)}:${state.at[axis]}`).join(), cut.length && !recorded);
  const all = wholeView(), isPart = view && isChart() && (isMap() ? ["x0", "x1", "y0", "y1"] : ["x0", "x1"])
    .some((end) => few(view[end]) !== few(all[end]));
  if (isPart) add("window", [[view.x0, view.x1], ...(isMap() ? [[view.y0, view.y1]] : [])].map((ends) => ends.map(few).join(":")).join(), true);
  add("every", state.stride, state.stride !== dataset.stride);
  add("colors", encoded(state.colormap), state.colormap !== firstColormap());
  add("reverse", state.isReversed ? "yes" : "no", state.isReversed !== Boolean(dataset.reverse));
  add("log", state.isLog ? "yes" : "no", state.isLog !== Boolean(dataset.log));
  add("coast", "no", !state.isCoastShown && hasCoast());
  const range = rangeText();
  add("range", range, range !== givenRange());
  add("points", points.map(({ at }) => at.join(":")).join(), points.length);
  add("along", byId("along").value === "" ? "" : axisName(Number(byId("along").value)), points.length && byId("along").value !== "");
  add("tab", state.tab, state.tab !== (points.length ? "series" : "attributes"));
  return entries.map((entry) => entry.join("=")).join("&");
}

function rangeText() {
  const mode = byId("range").value;
  return mode === "whole" || mode === "robust" ? mode : [state.low, state.high].map((number) => brief(number)).join(":");
}

/** Return the range from the command line. */
function givenRange() {
  const { low, high, range } = state.dataset;
  return low === null && high === null ? range : `${low ?? ""}:${high ?? ""}`;
}

/** Write the state of the view into the address. */
function remember() {
  forgetLater();
  if (!state.variable) return;
  const text = addressText();
  if (text !== remembered) {
    byId("problem").hidden = true;
    remembered = text;
    try {
      history.pushState(null, "", `#${text}`);
    } catch (error) {
      if (error.name !== "SecurityError") throw error; // an embedded page may have no history
    }
  }
}

/** Write the state when changes end. Browsers limit changes of the address, and each adds a step to the history. */
function rememberLater() {
  forgetLater();
  busy(1);
  later = setTimeout(remember, REST);
}

function forgetLater() {
  if (later === null) return;
  clearTimeout(later);
  later = null;
  busy(-1);
}

/** Return the entries of an address: each key with its parts, which are separated by commas and colons. */
function parsedAddress(text) {
  const entries = new Map(), problems = [];
  for (const entry of text.split("&").filter(Boolean)) {
    const [key, ...rest] = entry.split("=");
    try {
      entries.set(decodeURIComponent(key), rest.join("=").split(",").map((part) => part.split(":").map(decodeURIComponent)));
    } catch {
      problems.push(`'${entry}' is not valid`);
    }
  }
  return { entries, problems };
}

/** Restore the view from the address. */
async function restore() {
  remembered = location.hash.slice(1);
  forgetLater();
  const asked = parsedAddress(location.hash.slice(1)), { entries, problems } = asked;
  const { variables, first } = state.dataset;
  const path = entries.get("variable")?.[0].join(":");
  const found = path === undefined ? null : variables.find((each) => each.path === path);
  if (path !== undefined && !found) problems.push(`no variable is named '${path}'`);
  const number = found?.number ?? first;
  const { of } = state, shown = entries.get("show")?.[0].join(":") ?? "difference";
  state.of = !recorded && state.dataset.difference && ["a", "b"].includes(shown) ? shown : "";
  if (shown !== (state.of || "difference")) problems.push(`show cannot be '${shown}'`);
  if (!found && path !== undefined) entries.clear();
  await openVariable(number, { ...asked, keeps: state.variable?.number === number && state.of === of });
  tellProblems(problems);
}

function tellProblems(problems) {
  const box = byId("problem");
  box.hidden = problems.length === 0;
  box.textContent = problems.length ? `The address has parts that cannot be shown: ${problems.join("; ")}.` : "";
}

/** Restore the view if anything other than `remember` has changed the address. */
function followAddress() {
  if (state.dataset && location.hash.slice(1) !== remembered) restore();
}
