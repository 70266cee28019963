// A table of values as text.

async function showTable() {
  say("");
  const isWide = state.y !== null;
  const found = await latest("picture", (signal) => {
    const at = [...state.at];
    for (const axis of [state.x, state.y]) if (axis !== null) at[axis] = 0;
    const asked = { variable: state.variable.number, x: state.x, y: state.y, at, limit: state.limit };
    const rows = [state.rows, state.rows + 1];
    if (isWide) Object.assign(asked, { ys: rows, xs: [state.columns, state.columns + 1] });
    else asked.ys = rows;
    return ask("table", asked, signal);
  });
  if (!found) return false;
  const table = byId("table");
  if (found.tooLarge || found.empty) {
    table.replaceChildren();
    if (found.tooLarge) offer(found.tooLarge, () => refresh());
    else say(`There is nothing to show: ${found.empty}.`);
    return false;
  }
  state.table = found;
  showPlaces(found.at);
  const body = found.cells.map((row, number) => make("tr", "", {},
    ...(found.y ? [make("th", found.y.texts[number])] : []), ...row.map((cell) => make("td", cell))));
  if (found.x) {
    body.unshift(make("tr", "", {}, make("th"), ...found.x.texts.map((text) => make("th", text))));
  }
  const turn = (name, axis, shown) => {
    if (axis === null || state.variable.axes[axis].size <= shown && !state[name]) return [];
    const size = state.variable.axes[axis].size, first = state[name];
    const step = (text, start) => {
      const button = make("button", text, { type: "button" });
      button.disabled = start < 0 || start >= size;
      button.addEventListener("click", () => { state[name] = start; refresh(); });
      return button;
    };
    return [make("p", "", {}, step("Previous", first ? Math.max(0, first - shown) : -1),
      make("span", ` ${name} ${first} to ${Math.min(size, first + shown) - 1} of ${size} `),
      step("Next", first + shown))];
  };
  table.replaceChildren(...turn("rows", isWide ? state.y : state.x, 200),
    ...(isWide ? turn("columns", state.x, 20) : []), make("table", "", {}, ...body));
  return true;
}
