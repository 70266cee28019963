// The state of the view: the dataset, a variable, its indices, and the latest data from the server.

const state = { dataset: null, of: "", variable: null, x: null, y: null, isPlaced: false, at: [], rulers: null, view: null, stride: 1,
  limit: null, picture: null, table: null, colormap: "", isReversed: false, isLog: false, coast: null,
  isCoastShown: true, low: 0, high: 1, points: [],
  cursor: null, playing: null, tab: "attributes", rows: 0, columns: 0 };

function isMap() { return state.variable && !state.variable.isText && (state.isPlaced || state.y !== null); }
function isChart() { return state.variable && !state.variable.isText && (state.isPlaced || state.x !== null); }

/** Return the axes of the variable along which the picture shows values. */
function shownAxes() {
  return state.isPlaced ? state.variable.placed.axes : [state.x, state.y].filter((axis) => axis !== null);
}
