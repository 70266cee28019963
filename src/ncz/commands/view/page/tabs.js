// Tabs below the picture.

const TABS = {
  attributes: async () => {
    const { variable } = state;
    return [["Variable", variable.attributes], ["Group", variable.groupAttributes],
      ["Dataset", variable.rootAttributes]].filter(([, rows]) => rows.length)
      .flatMap(([title, rows]) => [make("h3", title), rowsTable(rows)]);
  },
  header: async (signal) => {
    const found = await ask("header", {}, signal);
    return [make("pre", found.text), ...(found.isWhole ? [] : [make("p", "The rest is left out.")])];
  },
  storage: async (signal, limit) => {
    const found = await ask("storage", { variable: state.variable.number, limit }, signal);
    const parts = [rowsTable(found.rows)];
    if (found.uncounted) {
      parts.push(again(`Find the sizes of ${found.uncounted} chunks`, "storage", found.uncounted));
    }
    if (found.chunks?.length) {
      const largest = Math.max(...found.chunks.map(([, count, , size]) => size / count)) || 1;
      const cells = found.chunks.map(([first, count, present, size]) => {
        const kind = present === count ? "full" : present ? "part" : "none";
        const what = count === 1 ? `chunk ${first}` : `chunks ${first} to ${first + count - 1}`;
        const cell = make("i", "", { class: kind, title: `${what}: ${present} of ${count} stored, ${size} bytes` });
        if (present) cell.style.opacity = 0.3 + 0.7 * size / count / largest;
        return cell;
      });
      const grid = make("div", "", { class: "cells" }, ...cells);
      grid.style.gridTemplateColumns = `repeat(${found.columns}, 10px)`;
      parts.push(make("h3", "Chunks"), grid);
    }
    return parts;
  },
  statistics: async (signal, limit) => {
    const found = await ask("statistics", { variable: state.variable.number, limit }, signal);
    if (found.tooLarge) {
      return [make("p", `${found.tooLarge.text[0].toUpperCase()}${found.tooLarge.text.slice(1)}.`),
        again(`Read ${found.tooLarge.size}`, "statistics", found.tooLarge.need)];
    }
    if (!found.rows.length) return [make("p", "The values are not numbers.")];
    const parts = [rowsTable(found.rows)];
    if (found.histogram.length) {
      const most = Math.max(...found.histogram) || 1, width = (found.range[1] - found.range[0]) / found.histogram.length;
      const bars = found.histogram.map((count, n) => {
        const bar = make("i", "", { title: `${brief(found.range[0] + n * width, 7)} to ${brief(found.range[0] + (n + 1) * width, 7)}: ${count}` });
        bar.style.height = `${count / most * 100}%`;
        return bar;
      });
      parts.push(make("h3", "Distribution"), make("div", "", { class: "bars" }, ...bars),
        make("div", "", { class: "ends" }, make("span", brief(found.range[0], 7)), make("span", brief(found.range[1], 7))));
    }
    return parts;
  },
};

function rowsTable(rows) {
  return make("table", "", {}, ...rows.map(([name, text]) =>
    make("tr", "", {}, make("th", name), make("td", text))));
}

function again(text, tab, limit) {
  const button = make("button", text, { type: "button" });
  button.addEventListener("click", () => showTab(tab, limit));
  return button;
}

async function showTab(name = state.tab, limit = null) {
  state.tab = name;
  byId("lines").hidden = name !== "series";
  byId("tab").hidden = name === "series";
  for (const button of byId("tabs").children) {
    if (button.dataset.tab === name) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  byId("tab").replaceChildren();
  if (name === "series") {
    showSeries();
    return;
  }
  const parts = await latest("tab", (signal) => TABS[name](signal, limit));
  if (parts) byId("tab").replaceChildren(...parts);
}
