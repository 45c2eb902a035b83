// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Times in the zone of the viewer, with that of the host beside them, and durations.

import { el } from "./dom.js";

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const clock = formatter(here);
/** The time zone of the host's machine, and its clock; undefined until it is known. */
let there;
let clockOfHost;

/** Sets the time zone of the host, which has no name on some machines. Returns whether it is another one than before. */
export function setHostZone(name) {
  if (name === there) return false;
  there = undefined;
  clockOfHost = undefined;
  if (name === undefined) return true;
  try {
    clockOfHost = formatter(name);
    there = name;
  } catch { /* The browser does not know the zone. */ }
  return true;
}

function formatter(timeZone) {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
    second: "2-digit", hourCycle: "h23",
  });
}

/** The milliseconds of a time in an answer, from the exact text in nanoseconds; undefined without one. */
export function instant(item, name) {
  const text = item?.[`${name}_ns`];
  // Without the last six digits, the number is exact.
  if (/^-?\d{7,}$/.test(text ?? "")) return Number(text.slice(0, -6));
  const parsed = Date.parse(item?.[name] ?? "");
  return Number.isNaN(parsed) ? undefined : parsed;
}

function parts(format, moment) {
  const part = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  return { day: `${part.year}-${part.month}-${part.day}`, time: `${part.hour}:${part.minute}:${part.second}` };
}

/** A time of day; with the date when it is not today. */
export function clockText(moment) {
  const { day, time } = parts(clock, moment);
  return day === today() ? time : `${day} ${time}`;
}

let known = { second: 0, day: "" };

/** The present day; computed once for all times of a drawing. */
function today() {
  const second = Math.floor(Date.now() / 1000);
  if (known.second !== second) known = { second, day: parts(clock, Date.now()).day };
  return known.day;
}

/** An element with a time; its title names both zones. */
export function time(moment) {
  if (moment === undefined) return el("span", {}, "–");
  return el("time", { datetime: new Date(moment).toISOString(), title: zonesText(moment) }, clockText(moment));
}

function zonesText(moment) {
  const { day, time } = parts(clock, moment);
  const own = `${day} ${time} ${here}`;
  if (there === undefined || there === here) return own;
  const host = parts(clockOfHost, moment);
  return `${own}; on the host ${host.day} ${host.time} ${there}`;
}

/** The sentence about the zones at the end of the page. */
export function zoneText() {
  if (there === undefined) return `times are in ${here}, the zone of this browser`;
  if (there === here) return `times are in ${here}, the zone of this browser and of the host`;
  return `times are in ${here}, the zone of this browser; that of the host is ${there}`;
}

const UNITS = [["d", 86400e9], ["h", 3600e9], ["min", 60e9], ["s", 1e9], ["ms", 1e6]];

const SIZES = [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]];

/** A number of bytes, such as `4.2 MB`. */
export function bytesText(bytes) {
  const [unit, size] = SIZES.find((pair) => Number(bytes) >= pair[1]) ?? [];
  return unit ? `${(Number(bytes) / size).toFixed(1)} ${unit}` : `${bytes} bytes`;
}

/** A duration in nanoseconds, with at most two units, such as `1h 5min`. */
export function durationText(nanoseconds) {
  const sign = Number(nanoseconds) < 0 ? "-" : "";
  let rest = Math.abs(Number(nanoseconds));
  const words = [];
  for (const [unit, size] of UNITS) {
    if (unit === "ms" && words.length > 0) break;
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) words.push(count + unit);
    else if (words.length > 0) break;
    if (words.length === 2) break;
  }
  return words.length === 0 ? "0s" : sign + words.join(" ");
}

const FORMS = { ns: 1, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9, d: 86400e9 };

/** The nanoseconds of a duration such as `30min`. Throws a refusal for another text. */
export function nanoseconds(text) {
  const match = /^(\d+(?:\.\d+)?)(ns|ms|s|min|h|d)$/.exec(text);
  if (!match) {
    throw Object.assign(new Error(`${text} is not a duration`), { status: 400, remedy: "write it like 30min or 2h" });
  }
  return Math.round(Number(match[1]) * FORMS[match[2]]);
}

/** An element that counts down to a time, or up from it. */
export function countdown(moment, { isPast = false } = {}) {
  const element = el("span", { class: "countdown", "data-moment": moment, "data-past": isPast });
  element.textContent = countdownText(moment, isPast);
  return element;
}

function countdownText(moment, isPast) {
  const distance = isPast ? Date.now() - moment : moment - Date.now();
  if (distance < 1000) return isPast ? "0s" : "now";
  return durationText(Math.floor(distance / 1000) * 1e9);
}

/** Redraws all countdowns of the visible page, each second. */
export function startClock() {
  setInterval(() => {
    if (document.hidden) return;
    for (const element of document.querySelectorAll(".countdown")) {
      const text = countdownText(Number(element.dataset.moment), element.hasAttribute("data-past"));
      if (element.textContent !== text) element.textContent = text;
    }
  }, 1000);
}
