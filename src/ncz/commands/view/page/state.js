// What is shown: the dataset, a variable, where it is cut, and what the server last sent of it.

const state = { dataset: null, variable: null, x: null, y: null, at: [], view: null, stride: 1,
  limit: null, picture: null, low: 0, high: 1, points: [], playing: null, tab: "attributes",
  rows: 0, columns: 0 };

function isMap() { return state.variable && !state.variable.isText && state.y !== null; }
function isChart() { return state.variable && !state.variable.isText && state.x !== null; }

function wholeView() {
  const size = (axis) => (axis === null ? 1 : state.variable.axes[axis].size);
  return { x0: 0, x1: size(state.x), y0: 0, y1: size(state.y) };
}
