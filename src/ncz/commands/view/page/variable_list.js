// The list of variables.

function showList() {
  const list = byId("list");
  let group = null;
  const items = [];
  for (const each of state.dataset.variables) {
    if (each.group !== group) {
      group = each.group;
      if (group) items.push(make("li", `${group}/`, { class: "group" }));
    }
    const shape = each.dimensions.map((name, axis) => `${name}=${each.shape[axis]}`).join(", ");
    const button = make("button", "", { type: "button" }, make("b", each.name));
    button.append(make("span", `${each.type}${shape ? ` (${shape})` : ""}`
      + `${each.units ? `, ${each.units}` : ""}`, { class: "dim" }));
    if (each.title) button.append(make("span", each.title, { class: "dim" }));
    button.addEventListener("click", () => chooseVariable(each.number));
    const item = make("li", "", {}, button);
    item.words = [each.path, each.type, each.units, each.title].join(" ").toLowerCase();
    item.number = each.number;
    items.push(item);
  }
  list.replaceChildren(...items);
}

function filterList() {
  const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  let heading = null, any = false;
  const end = () => { if (heading) heading.hidden = !any; };
  for (const item of byId("list").children) {
    if (item.words === undefined) {
      end();
      heading = item;
      any = false;
    } else {
      item.hidden = !words.every((word) => item.words.includes(word));
      any ||= !item.hidden;
    }
  }
  end();
}
