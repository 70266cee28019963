// Labels of dates, in a form that fits the time between the first date and the last.

const DATE = /^(-?\d{1,6})-(\d\d)-(\d\d)(?: (\d\d)(?::(\d\d)(?::(\d\d)(?:\.\d+)?)?)?)?$/;
const MONTH = 31, YEAR = 12 * MONTH, HOUR = 1 / 24, MINUTE = HOUR / 60, SECOND = MINUTE / 60;

/** The units of time: their position in a date, their length in days, and the possible steps between labels. */
const UNITS = [
  { part: 0, days: YEAR, first: 0, steps: [1000, 500, 200, 100, 50, 20, 10, 5, 2, 1] },
  { part: 1, days: MONTH, first: 1, steps: [6, 3, 1] },
  { part: 2, days: 1, first: 1, steps: [10, 5, 2, 1] },
  { part: 3, days: HOUR, first: 0, steps: [12, 6, 3, 1] },
  { part: 4, days: MINUTE, first: 0, steps: [30, 15, 5, 1] },
  { part: 5, days: SECOND, first: 0, steps: [30, 10, 5, 1] },
];

/** Return the year, the month, the day, the hour, the minute and the second of a date; null for other text. */
function partsOf(text) {
  const found = DATE.exec(text);
  return found && found.slice(1, 7).map((part) => Number(part ?? 0));
}

/** Return the approximate number of days before a date, as if all months had 31. Dates of any calendar keep their order. */
function daysBefore([year, month, day, hour, minute, second]) {
  return year * YEAR + (month - 1) * MONTH + (day - 1) + hour * HOUR + minute * MINUTE + second * SECOND;
}

/** Return sets of ticks between dates, from few to many: the first date of each year, month, day and so on. */
function dateTicks(dates) {
  const known = dates.map(([place, text]) => [place, partsOf(text)]).filter(([, parts]) => parts)
    .sort((a, b) => daysBefore(a[1]) - daysBefore(b[1]));
  const sets = [];
  for (const unit of UNITS) {
    for (const step of unit.steps) {
      const ticks = firstOfEach(known, unit, step);
      if (ticks.length > 1) sets.push(labelled(ticks, unit.part));
      if (ticks.length === known.length) return sets;
    }
  }
  return sets;
}

/** Return the first date of each step, which is a number of years, months, days or smaller units. */
function firstOfEach(known, { part, days, first }, step) {
  const most = { 1: 12 / step, 2: 30 / step }[part] ?? Infinity; // the 31st belongs to the step before it
  const key = (parts) => {
    const number = Math.min(Math.floor((parts[part] - first) / step), most - 1);
    return [...parts.slice(0, part), number].join();
  };
  return known.filter(([, parts], n) => {
    if (n) return key(parts) !== key(known[n - 1][1]);
    if (known.length < 2) return true;
    const start = [0, 1, 1, 0, 0, 0].map((least, at) => (at < part ? parts[at] : least));
    start[part] = Math.floor((parts[part] - first) / step) * step + first;
    const gap = daysBefore(known[1][1]) - daysBefore(parts);
    return daysBefore(parts) - daysBefore(start) < Math.min(Math.max(gap, SECOND), days * step / 2);
  });
}

/** Return ticks whose labels have only the parts that differ between the dates, and the shared part for the title. */
function labelled(ticks, part) {
  const dates = ticks.map(([, parts]) => parts);
  const isShared = (count) => dates.every((date) => isSame(date, dates[0], count));
  const pad = (number) => String(number).padStart(2, "0");
  const year = ([number]) => (number < 0 ? "-" : "") + String(Math.abs(number)).padStart(4, "0");
  const day = (date) => `${pad(date[1])}-${pad(date[2])}`, whole = (date) => `${year(date)}-${day(date)}`;
  const clock = (date) => `${pad(date[3])}:${pad(date[4])}${part === 5 ? `:${pad(date[5])}` : ""}`;
  /** Return the time of day, with the date if a new day begins. */
  const moment = (date, n) => {
    if (!n || isSame(date, dates[n - 1], 3)) return clock(date);
    const begun = isSame(date, dates[n - 1], 1) ? day(date) : whole(date);
    return date[3] || date[4] || date[5] ? `${begun} ${clock(date)}` : begun;
  };
  const hasYear = !isShared(1);
  const [text, shared] = part === 0 ? [year, ""]
    : part === 1 ? [(date) => `${year(date)}-${pad(date[1])}`, ""]
    : part === 2 ? [hasYear ? whole : day, hasYear ? "" : year(dates[0])]
    : [moment, `${isShared(3) ? "" : "from "}${whole(dates[0])}`];
  return { ticks: ticks.map(([place, date], n) => [place, text(date, n)]), shared };
}

/** Return whether the first `count` parts of two dates (year, month, day, ...) are equal. */
function isSame(one, other, count) { return one.slice(0, count).join() === other.slice(0, count).join(); }
