// The choice between the difference of two datasets and either dataset.

/** Show the choice if the page has a difference. */
function listDatasets() {
  const { difference } = state.dataset;
  byId("differing").hidden = !difference;
  if (!difference) return;
  const [a, b] = shortNames(difference.a, difference.b);
  fillSelect(byId("of"), [["", `${a} − ${b}`], ["a", a], ["b", b]], state.of);
}

/** Return two paths without their common leading folders. */
function shortNames(one, other) {
  const parts = [one, other].map((path) => path.split("/"));
  while (parts[0].length > 1 && parts[1].length > 1 && parts[0][0] === parts[1][0]) parts.forEach((each) => each.shift());
  return parts.map((each) => each.join("/"));
}

/** Return the default colour map. A diverging colour map is the default only for differences. */
function firstColormap() {
  const { colormap, diverging } = state.dataset;
  return state.of && diverging.includes(colormap) ? Object.keys(state.dataset.colormaps)[0] : colormap;
}

/** Show the same part of the difference or of another dataset. */
async function chooseDataset(of) {
  const isFirstChoice = state.colormap === firstColormap();
  const address = parsedAddress(addressText());
  state.of = of;
  if (isFirstChoice) address.entries.delete("colors");
  await openVariable(state.variable.number, { ...address, keeps: false });
  remember();
}
