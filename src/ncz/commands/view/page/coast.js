// Coastlines over maps of longitudes and latitudes.

const COAST = [["#ffffffa0", 2.4], ["#1c1c1c", 1]]; // a bright line below a dark line is visible on every colour
const WIDE = 100; // degrees; narrower views have finer lines
const MARGIN_OF_COAST = 0.25; // the fraction of the view to request beyond each side, for the next moves

/** Return whether the page has a coast to draw. A recorded page may not. */
function hasCoast() { return isMap() && state.rulers.isGeographic && (!recorded || Boolean(recorded.coast)); }

/** Request the coastlines of the visible part, unless the page already has them. */
function readCoast() {
  if (!hasCoast() || !state.isCoastShown) return null;
  const { view, coast } = state, isFine = view.x1 - view.x0 < WIDE, [wide, high] = [view.x1 - view.x0, view.y1 - view.y0];
  if (coast && coast.isFine >= isFine && coast.box[0] <= view.x0 && coast.box[1] <= Math.max(-90, view.y0)
    && coast.box[2] >= view.x1 && coast.box[3] >= Math.min(90, view.y1)) return null;
  const box = [view.x0 - wide * MARGIN_OF_COAST, Math.max(-90, view.y0 - high * MARGIN_OF_COAST),
    view.x1 + wide * MARGIN_OF_COAST, Math.min(90, view.y1 + high * MARGIN_OF_COAST)];
  return latest("coast", async (signal) => {
    const found = await ask("coast", { box, fine: isFine }, signal);
    state.coast = { lines: found.lines, ...(recorded ? { box: [-1e9, -1e9, 1e9, 1e9], isFine: true } : { box, isFine }) };
    draw();
  });
}

function drawCoast(pen, to) {
  if (!hasCoast() || !state.isCoastShown || !state.coast) return;
  pen.lineJoin = "round";
  pen.beginPath();
  for (const line of state.coast.lines) {
    for (let n = 0; n < line.length; n += 2) {
      const [x, y] = [to.x(line[n]), to.y(line[n + 1])];
      if (n) pen.lineTo(x, y);
      else pen.moveTo(x, y);
    }
  }
  for (const [color, width] of COAST) {
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.stroke();
  }
}
