// Requests to the server of the page. A newer request cancels an older one of the same kind.

const pending = new Map();
let waiting = 0;

function busy(more) {
  waiting += more;
  document.body.dataset.busy = waiting ? "yes" : "no";
}

async function ask(path, asked, signal) {
  if (recorded) return recordedAnswer(path, asked);
  const query = encodeURIComponent(JSON.stringify(state.of ? { ...asked, of: state.of } : asked));
  let answer;
  try {
    answer = await fetch(`${path}?q=${query}`, { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. It may have stopped.");
  }
  if (!answer.ok) throw new Error((await answer.text()).trim());
  if (answer.headers.get("Content-Type") === "application/json") return answer.json();
  return unpacked(await answer.arrayBuffer());
}

/** Decode an answer with values: the length of the JSON text, the text, and the numbers. */
function unpacked(data) {
  const length = new DataView(data).getUint32(0, true);
  const found = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  if (found.shape) {
    const start = 4 + length, count = found.shape[0] * found.shape[1], end = start + count * found.size;
    found.values = found.size === 4 ? new Float32Array(data.slice(start, end)) : new Float64Array(data.slice(start, end));
    if (found.hasCells) found.cells = new Int32Array(data.slice(end, end + 4 * count));
  }
  return found;
}

/** Run `work` with a signal that aborts it when work of the same kind begins; show errors. */
async function latest(kind, work) {
  pending.get(kind)?.abort();
  const control = new AbortController();
  pending.set(kind, control);
  busy(1);
  try {
    return await work(control.signal);
  } catch (error) {
    if (error.name !== "AbortError" && !control.signal.aborted) say(error.message);
    return null;
  } finally {
    if (pending.get(kind) === control) pending.delete(kind);
    busy(-1);
  }
}
