// The chooser of colours: a button that opens a list of all colour maps, each with a preview.

function listColormaps() {
  byId("colormaps").replaceChildren(...Object.keys(state.dataset.colormaps).map((name) => {
    const radio = make("input", "", { type: "radio", name: "colormap", value: name });
    radio.addEventListener("change", () => {
      state.colormap = name;
      recolor();
    });
    return make("label", "", {}, radio, preview(state.dataset.colormaps[name]), make("span", name));
  }));
}

/** Return a strip of the colours of a colour map. */
function preview(colors) {
  const strip = make("canvas", "", { width: colors.length, height: 1, "aria-hidden": "true" });
  strip.getContext("2d").putImageData(new ImageData(
    new Uint8ClampedArray(colors.flatMap((parts) => [...parts, 255])), colors.length, 1), 0, 0);
  return strip;
}

/** Show which colours are chosen. */
function showColors() {
  byId("colors").replaceChildren(preview(palette()), make("span", state.colormap));
  byId("reverse").checked = state.isReversed;
  byId("log").checked = state.isLog;
  for (const radio of byId("colormaps").querySelectorAll("input")) {
    radio.checked = radio.autofocus = radio.value === state.colormap; // the open list begins there
  }
}

/** Place the list that opens below its button, within the window. */
function placeColormaps(event) {
  const list = byId("colormaps"), { left, bottom } = byId("colors").getBoundingClientRect();
  if (event.newState !== "open") return;
  list.style.left = `${Math.max(4, Math.min(left, innerWidth - list.offsetWidth - 4))}px`;
  list.style.top = `${Math.max(4, Math.min(bottom + 2, innerHeight - list.offsetHeight - 4))}px`;
}

/** Show the picture in the colours that were chosen. */
function recolor() {
  showColors();
  showRange();
  draw();
  if (state.picture?.values) say(noteOf(state.picture));
  remember();
}
