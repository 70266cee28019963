// The parts of an address, and the problems with invalid parts.

/** Apply the valid parts of the address to the open variable. */
function applyAddress(asked) {
  const { entries, problems } = asked, { variable, dataset } = state;
  if (!entries) return;
  const axisOf = (text) => {
    const named = variable.axes.flatMap((axis, number) => (axis.name === text ? [number] : []));
    if (named.length === 1) return named[0];
    if (/^\d+$/.test(text) && Number(text) < variable.axes.length) return Number(text);
    problems.push(`the variable has no dimension '${text}'`);
    return null;
  };
  const one = (key) => entries.get(key)?.[0]?.join(":");
  const choice = (key, choices, otherwise) => {
    const value = one(key);
    if (value === undefined || choices.includes(value)) return value ?? otherwise;
    problems.push(`${key} cannot be '${value}'`);
    return otherwise;
  };
  const isYes = (key, otherwise) => choice(key, ["yes", "no"], otherwise ? "yes" : "no") === "yes";
  for (const key of recorded ? ["across", "down", "at", "every"] : []) {
    if (entries.has(key)) problems.push(`${key} needs a server`);
  }
  takeAxes(entries, axisOf, problems);
  const index = (axis, text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number < variable.axes[axis].size) return number;
    problems.push(`${variable.axes[axis].name} has no index '${text}'`);
    return null;
  };
  for (const [name, text = ""] of recorded ? [] : entries.get("at") ?? []) {
    const axis = axisOf(name);
    if (axis !== null) state.at[axis] = index(axis, text) ?? 0;
  }
  takeWindow(entries.get("window"), problems);
  const every = recorded ? dataset.stride : choice("every", Array.from({ length: 4097 }, (_, n) => String(n)).slice(1), String(dataset.stride));
  state.stride = Number(every);
  state.colormap = choice("colors", Object.keys(dataset.colormaps), firstColormap());
  state.isReversed = isYes("reverse", dataset.reverse);
  state.isLog = isYes("log", dataset.log);
  state.isCoastShown = isYes("coast", true);
  takeRange(one("range") ?? givenRange(), problems);
  for (const parts of entries.get("points")?.slice(0, MOST_POINTS) ?? []) {
    const at = parts.length === variable.axes.length ? parts.map((text, axis) => index(axis, text)) : null;
    if (at?.every((each) => each !== null)) pointAt(at);
    else if (!at) problems.push(`'${parts.join(":")}' is not a point of the variable`);
  }
  if (one("along") !== undefined) asked.along = axisOf(one("along")) ?? undefined;
  state.tab = choice("tab", ["series", ...Object.keys(TABS)], state.points.length ? "series" : "attributes");
}

function takeAxes(entries, axisOf, problems) {
  if (recorded || !(entries.has("across") || entries.has("down"))) return;
  const of = (key, otherwise) => {
    const text = entries.get(key)?.[0]?.join(":");
    if (text === undefined) return otherwise;
    return key === "down" && text === "none" ? null : axisOf(text) ?? otherwise;
  };
  const { variable } = state, x = of("across", variable.x), y = of("down", variable.y);
  if (x === y) {
    problems.push("the two axes are the same");
    return;
  }
  Object.assign(state, { x, y, isPlaced: false });
  measureAxes();
}

function takeWindow(parts, problems) {
  if (!parts || !isChart()) return;
  const all = wholeView(), ends = parts.map((each) => each.map(Number));
  const isSpan = (span, low, high) => span?.length === 2 && span[0] < span[1] && span[0] < high && span[1] > low;
  if (!isSpan(ends[0], all.x0, all.x1) || (isMap() && !isSpan(ends[1], all.y0, all.y1))) {
    problems.push("the window is not within the picture");
    return;
  }
  const within = ([from, to], low, high) => moved(from, Math.min(to - from, high - low), low, high);
  const [x0, x1] = within(ends[0], all.x0, all.x1), [y0, y1] = isMap() ? within(ends[1], all.y0, all.y1) : [0, 1];
  state.view = { x0, x1, y0, y1 };
}

function takeRange(text, problems) {
  const isNamed = text === "whole" || text === "robust", [low = "", high = ""] = isNamed ? [] : text.split(":");
  const isValid = isNamed || (text.includes(":") && [low, high].every((each) => Number.isFinite(Number(each))));
  if (!isValid) problems.push(`range cannot be '${text}'`);
  byId("range").value = isNamed ? text : isValid ? "typed" : "whole";
  Object.assign(byId("low"), { value: low });
  Object.assign(byId("high"), { value: high });
}
