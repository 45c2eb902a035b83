// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Launches of each plugin on a lane of time, and the times before which waiting tasks do not start.

import { get, getTasks } from "./api.js";
import { el, svg } from "./dom.js";
import { emptyText, filterForm, partialNote, pluginLink, section, table, taskLink, textFilter } from "./parts.js";
import { address } from "./places.js";
import { clockText, countdown, durationText, instant, time } from "./times.js";

const SPANS = { "1min": 60e3, "10min": 600e3, "1h": 3600e3, "6h": 6 * 3600e3, "1d": 86400e3, "7d": 7 * 86400e3 };
const PAGES = 5;
const LANES = 60;
const WIDTH = 1200;
const LANE = 26;
const NAMES = 250;
const BAD = new Set(["overran", "crashed", "exited", "killed-for-memory", "entry-failed", "load-failed", "lost"]);

export const title = () => "Timeline";
export const isBusy = () => true;

const spanOf = (filters) => SPANS[filters.span] ?? SPANS["1h"];

/** The launches of the span, from newest to oldest, in at most some pages; the pending tasks and the schedules. */
export async function load({ filters }, signal) {
  const { plugin } = filters;
  const [tasks, schedules] = await Promise.all([
    getTasks({ plugin }, signal), get("/v1/schedules", { plugin, limit: 1000 }, signal),
  ]);
  const launches = [];
  const start = Date.now() - spanOf(filters);
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
  return { tasks, schedules: schedules.schedules, launches, isPartial, isIncomplete };
}

const endOf = (launch) => instant(launch, "ended_at") ?? Date.now();

export function draw(data, { filters }) {
  const span = spanOf(filters);
  const marks = marksOf(data, Date.now() + span);
  const lanes = [...new Set([...data.launches, ...marks].map(({ plugin }) => plugin))].sort();
  return [
    filterForm(
      textFilter("plugin", "Plugin", filters), zoom(filters)),
    section("Launches and known times", drawing(lanes.slice(0, LANES), data.launches, marks, span),
      lanes.length > LANES ? note(`${lanes.length - LANES} further plugins; filter to see them`) : "",
      data.isPartial ? note("older launches of this span are not shown; choose a shorter span") : ""),
    section("Known times",
      note("A task does not start before its time. Conditions, policies and capacity can delay it further."),
    table("Known times", [
      ["In", (mark) => countdown(mark.at)], ["Task", (mark) => taskLink(mark.identifier)],
      ["Plugin", (mark) => pluginLink(mark.plugin)], ["At", (mark) => time(mark.at)], ["Time", (mark) => mark.cause],
    ], marks.slice(0, 100), {
      key: keyOf, empty: emptyText({ partial: data.isIncomplete }, "no task waits for a time in this span"),
    }), partialNote({ partial: data.isIncomplete }, "filter by plugin")),
  ];
}

const note = (text) => el("p", { class: "note" }, text);
const keyOf = (mark) => `${mark.identifier} ${mark.cause}`;

function zoom(filters) {
  const present = SPANS[filters.span] ? filters.span : "1h";
  const spans = Object.keys(SPANS).map((name) => el("a", {
    href: address("timeline", undefined, { ...filters, span: name }),
    "aria-current": name === present ? "true" : undefined,
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

function drawing(lanes, launches, marks, span) {
  if (lanes.length === 0) return el("p", { class: "empty" }, "no launch and no known time in this span");
  const now = Date.now();
  const place = (moment) => NAMES + (moment - now + span) / (2 * span) * (WIDTH - NAMES);
  const height = lanes.length * LANE + 26;
  const row = (plugin) => lanes.indexOf(plugin) * LANE;
  return el("div", { class: "drawing timeline" }, svg("svg", {
    viewBox: `0 0 ${WIDTH} ${height}`, role: "group",
    "aria-label": "Timeline; the tables and the journal have the same times",
  },
  lanes.map((plugin, index) => [
    index % 2 === 0 ? svg("rect", { class: "lane", x: 0, y: row(plugin), width: WIDTH, height: LANE }) : "",
    svg("text", { x: 4, y: row(plugin) + 17 }, shortened(plugin), svg("title", {}, plugin)),
  ]),
  launches.filter(({ plugin }) => lanes.includes(plugin)).map((launch) => launchBar(launch, row(launch.plugin), place)),
  marks.filter(({ plugin }) => lanes.includes(plugin)).map((mark) => markShape(mark, row(mark.plugin), place(mark.at))),
  svg("line", { class: "now", x1: place(now), x2: place(now), y1: 0, y2: height - 20 }),
  [[now - span, "start"], [now, "middle"], [now + span, "end"]].map(([moment, anchor]) =>
    svg("text", { x: place(moment), y: height - 4, "text-anchor": anchor },
      moment === now ? "now" : clockText(moment)))));
}

const shortened = (text) => (text.length > 33 ? `…${text.slice(-32)}` : text);

function launchBar(launch, y, place) {
  const start = Math.max(NAMES, place(instant(launch, "started_at")));
  const width = Math.max(3, place(endOf(launch)) - start);
  const isBad = BAD.has(launch.outcome) || (launch.worst_outcome ?? "succeeded") === "failed";
  const text = `launch ${launch.launch} of ${launch.plugin}: ${launch.outcome ?? "running"}, `
    + clockText(instant(launch, "started_at"))
    + (launch.used_ns === undefined ? "" : `, ${durationText(launch.used_ns)}`);
  return svg("a", { href: address("launch", launch.launch), "aria-label": text, key: launch.launch }, svg("rect", {
    class: launch.outcome === undefined ? "busy" : isBad ? "bad" : "good", x: start.toFixed(1), y: y + 5,
    width: width.toFixed(1), height: LANE - 10, rx: 2,
  }, svg("title", {}, text)));
}

/** A triangle at a known time. */
function markShape(mark, y, x) {
  const text = `${mark.identifier} not before ${clockText(mark.at)} (${mark.cause})`;
  const half = LANE / 2 - 5;
  const shape = svg("path", { class: "mark", d: `M${x.toFixed(1)} ${y + 5}l8 ${half}l-8 ${half}z` },
    svg("title", {}, text));
  return svg("a", { href: address("task", mark.identifier), "aria-label": text, key: keyOf(mark) }, shape);
}
