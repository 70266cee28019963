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

/** Return a strip with the colours of a colour map. */
function preview(colors) {
  const strip = make("canvas", "", { width: colors.length, height: 1, "aria-hidden": "true" });
  strip.getContext("2d").putImageData(new ImageData(
    new Uint8ClampedArray(colors.flatMap((parts) => [...parts, 255])), colors.length, 1), 0, 0);
  return strip;
}

/** Show the chosen colours. */
function showColors() {
  byId("colors").replaceChildren(preview(palette()), make("span", state.colormap));
  byId("reverse").checked = state.isReversed;
  byId("log").checked = state.isLog;
  for (const radio of byId("colormaps").querySelectorAll("input")) {
    radio.checked = radio.autofocus = radio.value === state.colormap; // the list opens at the chosen one
  }
}

/** Place the open list below its button, within the window. */
function placeColormaps(event) {
  const list = byId("colormaps"), { left, bottom } = byId("colors").getBoundingClientRect();
  if (event.newState !== "open") return;
  list.style.left = `${Math.max(4, Math.min(left, innerWidth - list.offsetWidth - 4))}px`;
  list.style.top = `${Math.max(4, Math.min(bottom + 2, innerHeight - list.offsetHeight - 4))}px`;
}

/** Show the picture in the chosen colours. */
function recolor() {
  showColors();
  showRange();
  draw();
  if (state.picture?.values) say(noteOf(state.picture));
  remember();
}
