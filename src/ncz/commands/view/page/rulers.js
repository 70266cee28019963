// Rulers convert the indices of an axis to places on the picture. A place is a coordinate on maps, otherwise an index.

const MOST_SLENDER = 4;

/** An axis of indices: the cell of index n is between the places n and n + 1. */
function indexRuler(size) {
  return { low: 0, high: size, cell: 1, place: (index) => index, index: (place) => place };
}

/** An axis of coordinates, given every few indices. The cell of index n has its coordinate in the middle. */
function coordinateRuler({ quantity, step, values }, size) {
  const last = values.length - 1, sign = Math.sign(values[last] - values[0]);
  const bounded = (place) => (quantity === "latitude" ? Math.max(-90, Math.min(90, place)) : place);
  const place = (index) => {
    const n = (index - 0.5) / step, k = Math.max(0, Math.min(last - 1, Math.floor(n)));
    return bounded(values[k] + (values[k + 1] - values[k]) * (n - k));
  };
  const index = (wanted) => {
    let [k, end] = [0, last - 1];
    while (k < end) {
      const middle = (k + end + 1) >> 1;
      if ((values[middle] - wanted) * sign <= 0) k = middle;
      else end = middle - 1;
    }
    return (k + (wanted - values[k]) / (values[k + 1] - values[k])) * step + 0.5;
  };
  const [low, high] = [place(0), place(size)].sort((a, b) => a - b);
  return { low, high, cell: (high - low) / size, place, index };
}

/** An axis of degrees, for cells of any shape. */
function degreeRuler([low, high]) { return { ...indexRuler(0), low, high, cell: (high - low) / 4096 }; }

/** Set the rulers of the two axes: coordinates of a map, with the same scale along both, or indices. */
function measureAxes() {
  if (state.isPlaced) {
    const { placed } = state.variable;
    state.rulers = { x: degreeRuler(placed.x), y: degreeRuler(placed.y), quantities: ["longitude", "latitude"],
      isMapped: true, isGeographic: true };
    return;
  }
  const { axes } = state.variable, axis = (number) => (number === null ? null : axes[number]);
  const [across, down] = [axis(state.x), axis(state.y)];
  const isMapped = Boolean(across?.scale && down?.scale && across.scale.unit === down.scale.unit);
  const ruler = (one) => (isMapped ? coordinateRuler(one.scale, one.size) : indexRuler(one?.size ?? 1));
  const quantities = [across, down].map((one) => (isMapped ? one.scale.quantity : ""));
  state.rulers = { x: ruler(across), y: ruler(down), quantities, isMapped,
    isGeographic: quantities[0] === "longitude" && quantities[1] === "latitude" };
}

/** Return the view of the whole variable; the view of a map has a limited ratio of width to height. */
function wholeView() {
  const { x, y, isMapped } = state.rulers;
  let [wide, high] = [x.high - x.low, y.high - y.low];
  if (isMapped) [wide, high] = [Math.max(wide, high / MOST_SLENDER), Math.max(high, wide / MOST_SLENDER)];
  const [middle, center] = [(x.low + x.high) / 2, (y.low + y.high) / 2];
  return { x0: middle - wide / 2, x1: middle + wide / 2, y0: center - high / 2, y1: center + high / 2 };
}

/** Return the first index of an axis between two places, and the index after the last. */
function indicesBetween(ruler, size, from, to) {
  const [first, end] = [ruler.index(from), ruler.index(to)].sort((a, b) => a - b);
  const start = Math.max(0, Math.min(size - 1, Math.floor(first + 1e-9)));
  return [start, Math.max(start + 1, Math.min(size, Math.ceil(end - 1e-9)))];
}
