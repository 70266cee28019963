// What is shown: the dataset, a variable, where it is cut, and what the server last sent of it.

const state = { dataset: null, variable: null, x: null, y: null, at: [], rulers: null, view: null, stride: 1,
  limit: null, picture: null, table: null, colormap: "", isReversed: false, isLog: false, coast: null,
  isCoastShown: true, low: 0, high: 1, points: [],
  cursor: null, playing: null, tab: "attributes", rows: 0, columns: 0 };

function isMap() { return state.variable && !state.variable.isText && state.y !== null; }
function isChart() { return state.variable && !state.variable.isText && state.x !== null; }
