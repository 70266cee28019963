// Ticks of axes: sets of places with labels, from few to many. The page draws the last set that fits.

/** Return sets of round numbers between two numbers, from few to many. */
function numberTicks(low, high, label = brief) {
  if (!(high > low)) return [{ ticks: [[low, label(low)]], shared: "" }];
  const power = 10 ** Math.ceil(Math.log10(high - low)), sets = [];
  for (const part of [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01]) {
    const ticks = multiples(low, high, part * power).map((number) => [number, label(number)]);
    if (ticks.length) sets.push({ ticks, shared: "" });
  }
  return sets;
}

function multiples(low, high, step) {
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9 && found.length < 200; n++) {
    found.push(Number((n * step).toPrecision(12)));
  }
  return found;
}

/** Return sets of ticks on a logarithmic scale between two positive numbers. */
function ratioTicks(low, high) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high)), sets = [];
  const within = (parts, every) => {
    const ticks = [];
    for (let power = first; power <= last; power++) {
      if (power % every) continue;
      for (const part of parts) {
        const number = Number(`${part}e${power}`);
        if (number >= low * (1 - 1e-9) && number <= high * (1 + 1e-9)) ticks.push([number, brief(number)]);
      }
    }
    return { ticks, shared: "" };
  };
  for (const every of [10, 5, 2, 1]) sets.push(within([1], every));
  sets.push(within([1, 3], 1), within([1, 2, 5], 1));
  if (sets.at(-1).ticks.length < 3) sets.push(...numberTicks(low, high));
  return sets.filter((set) => set.ticks.length);
}

/** Return sets of ticks for longitudes or latitudes. */
function degreeTicks(low, high, quantity) {
  const sets = [];
  for (const step of [90, 60, 30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 1e-4, 1e-5]) {
    if ((high - low) / step > 60) break;
    const ticks = multiples(low, high, step).map((number) => [number, degrees(number, quantity)]);
    if (ticks.length) sets.push({ ticks, shared: "" });
  }
  return sets;
}

function degrees(number, quantity) {
  const turned = quantity === "longitude" ? number - 360 * Math.round(number / 360) : number;
  const size = Number(Math.abs(turned).toPrecision(10));
  const side = size === 0 || size === 180 ? "" : quantity === "longitude" ? (turned > 0 ? "E" : "W") : (turned > 0 ? "N" : "S");
  return `${size}°${side}`;
}

/** Return whether labels have degrees and a hemisphere. */
function isInDegrees(quantity) { return quantity === "longitude" || quantity === "latitude"; }

/** Return sets of ticks between two places of an axis of the picture. */
function axisTicks(axis, quantity, first, end) {
  if (isInDegrees(quantity)) return degreeTicks(first, end, quantity);
  if (quantity) return numberTicks(first, end);
  return indexTicks(axis, first, end);
}

/** Return sets of ticks between two indices of an axis: dates, round numbers, or some of its texts. */
function indexTicks(axis, first, end) {
  const inside = axis.texts
    .map((text, n) => [axis.start + n * axis.step + 0.5, axis.isNumber && axis.coordinates[n] !== null
      ? brief(axis.coordinates[n], 6) : text])
    .filter(([place]) => place >= first && place <= end);
  if (axis.isDate) {
    const sets = dateTicks(inside);
    if (sets.length) return sets;
  }
  const all = { ticks: inside, shared: "" };
  return axis.isScale && axis.coordinates.length > 1 ? [...scaleTicks(axis, first, end), all] : someOf(inside);
}

/** Return sets of texts at regular steps. */
function someOf(inside) {
  const sets = [];
  for (let power = 10 ** Math.ceil(Math.log10(inside.length || 1)); power >= 1; power /= 10) {
    for (const step of [power, power / 2, power / 5]) {
      if (step >= 1) sets.push({ ticks: inside.filter((_, n) => n % step === 0), shared: "" });
    }
  }
  return sets.filter((set) => set.ticks.length);
}

/** Return sets of round coordinates, which may fall between the coordinates of indices. */
function scaleTicks(axis, first, end) {
  const at = axis.coordinates, last = at.length - 1;
  const coordinate = (index) => {
    const n = Math.max(0, Math.min(last, (index - 0.5 - axis.start) / axis.step)), k = Math.min(Math.floor(n), last - 1);
    return at[k] + (at[k + 1] - at[k]) * (n - k);
  };
  const index = (number) => {
    let k = 0;
    while (k < last - 1 && (at[k + 1] - number) * Math.sign(at[last] - at[0]) < 0) k++;
    return axis.start + (k + (number - at[k]) / (at[k + 1] - at[k])) * axis.step + 0.5;
  };
  const ends = [coordinate(first), coordinate(end)].sort((a, b) => a - b);
  return numberTicks(ends[0], ends[1]).map(({ ticks, shared }) => ({
    shared, ticks: ticks.map(([number, text]) => [index(number), text]).filter(([place]) => place >= first && place <= end),
  })).filter((set) => set.ticks.length);
}
