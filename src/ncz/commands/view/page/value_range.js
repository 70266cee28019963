// The values of the first and the last colour.

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
