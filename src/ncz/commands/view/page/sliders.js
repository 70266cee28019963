// Sliders for the index along each dimension that is not an axis of the picture.

const PLAY_EVERY = 150;

function showSliders() {
  const rows = state.variable.axes.map((axis, number) => {
    if (shownAxes().includes(number) || (axis.size < 2 && !recorded)) return null;
    const place = make("output", `[${state.at[number]}]`);
    place.dataset.axis = number;
    if (recorded) return make("div", "", { class: "slider" }, make("span", axis.name), place);
    const slider = make("input", "", { type: "range", min: 0, max: axis.size - 1, step: 1,
      value: state.at[number], "aria-label": axis.name });
    slider.value = state.at[number];
    const play = make("button", "Play", { type: "button" });
    slider.addEventListener("input", () => {
      state.at[number] = Number(slider.value);
      refresh();
    });
    slider.addEventListener("change", rememberLater);
    play.addEventListener("click", () => {
      if (state.playing?.play === play) {
        stopPlaying();
        remember();
      } else startPlaying(number, slider, play);
    });
    return make("div", "", { class: "slider" }, make("span", axis.name), slider, place, play);
  });
  byId("sliders").replaceChildren(...rows.filter(Boolean));
}

function stopPlaying() {
  if (state.playing) state.playing.play.textContent = "Play";
  state.playing = null;
}

async function startPlaying(number, slider, play) {
  stopPlaying();
  const mine = { play };
  state.playing = mine;
  play.textContent = "Stop";
  while (state.playing === mine) {
    const begun = performance.now();
    state.at[number] = (state.at[number] + 1) % state.variable.axes[number].size;
    slider.value = state.at[number];
    if (!await refresh()) break;
    const rest = PLAY_EVERY - (performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, rest)));
  }
  if (state.playing === mine) stopPlaying();
}

function showPlaces(places) {
  for (const place of byId("sliders").querySelectorAll("output")) {
    place.textContent = places[Number(place.dataset.axis)] || `[${state.at[place.dataset.axis]}]`;
  }
}
