// Numbers as text.

/** Return a number with the fewest digits that identify it in the type of the variable. */
function format(value, digits = state.variable?.digits ?? "double") {
  if (value === null || Number.isNaN(value)) return "missing";
  if (Number.isSafeInteger(value) || !Number.isFinite(value)) return String(value);
  if (digits === "whole") return `about ${Number(value.toPrecision(15))}`;
  const number = digits === "single" ? shortestSingle(value) : digits === "unpacked" ? withDecimals(Number(value.toPrecision(15))) : value;
  return String(number).replace("e+", "e");
}

/** Return a number with only the decimals that distinguish packed values. */
function withDecimals(value) {
  const decimals = state.variable.decimals ?? 101;
  return decimals > 100 || Math.abs(value) >= 1e21 ? value : Number(value.toFixed(decimals));
}

/** Return the number with the fewest digits that rounds to the same single-precision number. */
function shortestSingle(value) {
  const single = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const found = Number(single.toPrecision(digits));
    if (Math.fround(found) === single) return found;
  }
  return Number(single.toPrecision(9));
}

/** Return a number with few digits, and with an exponent if it is very large or very small. */
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

/** Return the text of a value, after the names of its flags. */
function named(value, text) {
  const names = Number.isInteger(value) ? flagsOf(value).map((flag) => flag.name).join(", ") : "";
  return names ? `${names} (${text})` : text;
}
