// Numbers as text.

/** Return a number with the digits that the type has; integers have all, unless they are too large. */
function format(value, digits = state.variable?.isSingle ? 7 : 15) {
  if (value === null || Number.isNaN(value)) return "missing";
  if (Number.isSafeInteger(value)) return String(value);
  const isAbout = Number.isInteger(value) && digits === 15 && Math.abs(value) < 1e20;
  return `${isAbout ? "about " : ""}${Number(value.toPrecision(digits))}`;
}

/** Return a number with few digits, and with an exponent if it is far from 1. */
function brief(value, digits = 12) {
  const rounded = Number(value.toPrecision(digits)), size = Math.abs(rounded);
  const isFar = size >= 1e9 || (size > 0 && size < 1e-4);
  return (isFar ? rounded.toExponential() : String(rounded)).replace("e+", "e");
}

function flagsOf(value) {
  return state.variable.flags.filter((flag) =>
    (flag.mask === null ? value : Number(BigInt(value) & BigInt(flag.mask))) === flag.value);
}

function describe(value) {
  return named(value, `${format(value)}${state.variable.units && !Number.isNaN(value) ? ` ${state.variable.units}` : ""}`);
}

/** Return text of a value, after the names that flags give it. */
function named(value, text) {
  const names = Number.isInteger(value) ? flagsOf(value).map((flag) => flag.name).join(", ") : "";
  return names ? `${names} (${text})` : text;
}
