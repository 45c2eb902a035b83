// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The past launches of each plugin, its forecast launches, and the times before which waiting tasks do not start.

import { get, getTasks } from "./api.js";
import { el } from "./dom.js";
import { forecastFor, partText } from "./forecasts.js";
import { emptyText, filterForm, partialNote, pluginLink, section, table, taskLink, textFilter } from "./parts.js";
import { address } from "./places.js";
import { command } from "./session.js";
import { drawing, endOf, keyOf, legend } from "./timeline.js";
import { countdown, durationText, instant, time } from "./times.js";

const SPANS = { "1min": 60e3, "10min": 600e3, "1h": 3600e3, "6h": 6 * 3600e3, "1d": 86400e3, "7d": 7 * 86400e3 };
const PAGES = 5;
const LANES = 60;
const ROWS = 100;

export const title = () => "Timeline";
/** Milliseconds between two updates by new entries: a load has up to eight calls. */
export const pause = 5000;
/** Time passes in the drawing without a load. */
export const isMoving = true;

const spanName = (filters) => (SPANS[filters.span] ? filters.span : "1h");

/** The launches of the span, from newest to oldest, in at most some pages; the pending tasks and the schedules. */
export async function load({ filters }, signal) {
  const { plugin } = filters;
  const span = SPANS[spanName(filters)];
  const [tasks, schedules, forecast] = await Promise.all([
    getTasks({ plugin }, signal), get("/v1/schedules", { plugin, limit: 1000 }, signal),
    forecastFor(span, { plugin: plugin || undefined }, signal).catch(missing),
  ]);
  const launches = [];
  const start = Date.now() - span;
  let after;
  let isPartial = true;
  for (let page = 0; page < PAGES; page += 1) {
    const list = await get("/v1/launches", { plugin, limit: 200, after }, signal);
    launches.push(...list.launches.filter((launch) => endOf(launch) >= start));
    after = list.next;
    isPartial = after !== undefined && list.launches.every((launch) => instant(launch, "started_at") >= start);
    if (!isPartial) break;
  }
  const isIncomplete = Boolean(tasks.next || tasks.partial || schedules.next || schedules.partial);
  return { tasks, schedules: schedules.schedules, forecast, launches, isPartial, isIncomplete };
}

/** Without a forecast, the page still shows the past and the known times. */
function missing(error) {
  if (error.name === "AbortError" || error.isGone) throw error;
  return { message: error.message, launches: [], launch_count: 0, complete: true };
}

export function fields({ filters }) {
  return [filterForm(textFilter("plugin", "Plugin", filters), zoom(filters))];
}

export function draw(data, { filters }) {
  const span = SPANS[spanName(filters)];
  const marks = marksOf(data, Date.now() + span);
  const future = futureOf(data.forecast, Date.now() + span);
  const lanes = [...new Set([...data.launches, ...future, ...marks].map(({ plugin }) => plugin))].sort();
  return [
    ...fields({ filters }),
    section("Past and future",
      drawing(lanes.slice(0, LANES), { launches: data.launches, future, marks }, span), legend(),
      lanes.length > LANES ? note(`${lanes.length - LANES} further plugins; filter to see them`) : "",
      data.isPartial ? note("older launches of this span are not shown; choose a shorter span") : ""),
    section("Forecast", forecastNotes(data.forecast), forecastTable(future)),
    el("p", { class: "note", key: "command" }, "On a terminal: ", el("code", {}, terminal(filters))),
    section("Known times", note("A task does not start before its time. Other reasons can delay it further."),
      markTable(marks, data), partialNote({ partial: data.isIncomplete }, "filter by plugin")),
  ];
}

const note = (text) => el("p", { class: "note" }, text);

function forecastNotes(forecast) {
  if (forecast.message) return note(`There is no forecast: ${forecast.message}.`);
  return [
    note("The host computes these launches with its own scheduler from a copy of its state."),
    partText(forecast) ? note(partText(forecast)) : "",
    el("details", {}, el("summary", {}, "Assumptions"),
      el("ul", {}, forecast.assumptions.map((text) => el("li", {}, text)))),
  ];
}

/** The forecast launches that have not begun, also after some time without a new forecast. */
function futureOf({ launches }, end) {
  return launches.filter((launch) => launch.launch === undefined)
    .map((launch) => ({ ...launch, at: instant(launch, "begins_at") }))
    .filter(({ at }) => at > Date.now() && at < end);
}

function forecastTable(future) {
  return [
    table("Forecast launches", [
      ["In", ({ at }) => countdown(at)], ["Begin", ({ at }) => time(at)],
      ["Plugin", (launch) => pluginLink(launch.plugin)],
      ["Tasks", (launch) => el("ul", { class: "plain" }, launch.tasks.map((task) => el("li", {},
        task.identifier ? taskLink(task.identifier) : task.event_name ?? "event",
        el("span", { class: "note" }, ` ${task.origin}, takes ${durationText(task.takes_ns)} (${task.basis})`))))],
      ["End", (launch) => (instant(launch, "ends_at") ? time(instant(launch, "ends_at")) : "after the forecast")],
    ], future.slice(0, ROWS), { key: ({ plugin, begins_at_ns: begin }) => `${plugin} ${begin}`,
      empty: "no launch is forecast in this span" }),
    future.length > ROWS ? note(`${future.length - ROWS} further launches; filter by plugin`) : undefined,
  ];
}

function markTable(marks, { isIncomplete }) {
  return table("Known times", [
    ["In", (mark) => countdown(mark.at)], ["Task", (mark) => taskLink(mark.identifier)],
    ["Plugin", (mark) => pluginLink(mark.plugin)], ["At", (mark) => time(mark.at)], ["Reason", (mark) => mark.cause],
  ], marks.slice(0, ROWS), {
    key: keyOf, empty: emptyText({ partial: isIncomplete }, "no task waits for a time in this span"),
  });
}

function zoom(filters) {
  const spans = Object.keys(SPANS).map((name) => el("a", {
    href: address("timeline", undefined, { ...filters, span: name }),
    "aria-current": name === spanName(filters) ? "true" : undefined,
  }, name));
  return el("span", { class: "zoom", role: "group", "aria-label": "Span before and after now" }, spans);
}

/** The times before which waiting tasks do not start, and the next occurrences of schedules. */
function marksOf({ tasks, schedules }, end) {
  const pending = tasks.pending.map((task) => (
    { ...task, at: instant(task.reason, "until"), cause: task.reason?.code }));
  const next = schedules.map((task) => ({ ...task, at: instant(task, "next"), cause: "schedule" }));
  return [...pending, ...next].filter(({ at }) => at !== undefined && at > Date.now() && at < end)
    .sort((one, other) => one.at - other.at);
}

function terminal(filters) {
  const plugin = filters.plugin ? ["--plugin", filters.plugin] : [];
  return command("simulate", "forecast", ...plugin, "--until", `+${spanName(filters)}`);
}
