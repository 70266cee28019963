// The difference of two datasets, and which of the three is shown.

/** Let the user choose, if the page shows a difference. */
function listDatasets() {
  const { difference } = state.dataset;
  byId("differing").hidden = !difference;
  if (!difference) return;
  const [a, b] = shortNames(difference.a, difference.b);
  fillSelect(byId("of"), [["", `${a} − ${b}`], ["a", a], ["b", b]], state.of);
}

/** Return two paths without the folders that both have. */
function shortNames(one, other) {
  const parts = [one, other].map((path) => path.split("/"));
  while (parts[0].length > 1 && parts[1].length > 1 && parts[0][0] === parts[1][0]) parts.forEach((each) => each.shift());
  return parts.map((each) => each.join("/"));
}

/** Return the colours to begin with. A colour map with a middle is for differences. */
function firstColormap() {
  const { colormap, diverging } = state.dataset;
  return state.of && diverging.includes(colormap) ? Object.keys(state.dataset.colormaps)[0] : colormap;
}

/** Show the same part of another one of the datasets. */
async function chooseDataset(of) {
  const isFirstChoice = state.colormap === firstColormap();
  const address = parsedAddress(addressText());
  state.of = of;
  if (isFirstChoice) address.entries.delete("colors");
  await openVariable(state.variable.number, { ...address, keeps: false });
  remember();
}
