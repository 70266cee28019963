// The values at the first and the last colour.

const TURNS = { degree: 360, degrees: 360, deg: 360, degree_true: 360, degrees_true: 360, degT: 360,
  radian: 2 * Math.PI, radians: 2 * Math.PI, rad: 2 * Math.PI }; // a full turn in each unit of direction

function shownValues() {
  return state.picture ? state.picture.values.filter(Number.isFinite) : [];
}

/** Reset a range that belongs to another variable. */
function forgetRange() {
  if (["locked", "typed"].includes(byId("range").value)) byId("range").value = "whole";
  byId("low").value = byId("high").value = "";
}

function showRange() {
  const mode = byId("range").value;
  if (mode === "locked" && !(isLogarithmic() && state.low <= 0)) return;
  const [least, largest] = extremes(shownValues(), mode === "robust" ? 0.02 : 0);
  let [low, high] = isMap() ? widened(least, largest) : [least, largest];
  if (mode === "typed") {
    const typed = (id, other) => {
      const text = byId(id).value.trim(), number = Number(text);
      return text && Number.isFinite(number) && !(isLogarithmic() && number <= 0) ? number : other;
    };
    [low, high] = [typed("low", low), typed("high", high)].sort((a, b) => a - b);
  } else {
    byId("low").value = brief(low, 7);
    byId("high").value = brief(high, 7);
  }
  Object.assign(state, { low, high });
}

/** Return a range for the colour map: symmetric if it is diverging, a full turn if it is cyclic. */
function widened(low, high) {
  const { diverging, cyclic = [] } = state.dataset, turn = TURNS[state.variable.units];
  if (diverging.includes(state.colormap)) {
    if (isLogarithmic()) {
      const factor = Math.max(high, 1 / low);
      return [1 / factor, factor];
    }
    const far = Math.max(Math.abs(low), Math.abs(high));
    return [-far, far];
  }
  if (cyclic.includes(state.colormap) && turn && !isLogarithmic()) {
    return low < 0 && high <= turn / 2 ? [-turn / 2, turn / 2] : [0, turn];
  }
  return [low, high];
}

/** Return the smallest and the largest value on the scale, without a fraction `part` of the values at each end. */
function extremes(values, part) {
  const known = isLogarithmic() ? values.filter((value) => value > 0) : values;
  if (!known.length) return isLogarithmic() ? [1, 10] : [0, 1];
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
