// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The drawing of past and forecast launches: a lane for each plugin, with now in the middle.

import { el, svg } from "./dom.js";
import { address } from "./places.js";
import { clockText, durationText, instant } from "./times.js";

const WIDTH = 1200;
const LANE = 26;
const NAMES = 250;
const BAD = new Set(["overran", "crashed", "exited", "killed-for-memory", "entry-failed", "load-failed", "lost"]);

export const endOf = (launch) => instant(launch, "ended_at") ?? Date.now();
export const keyOf = (mark) => `${mark.identifier} ${mark.cause}`;

export function drawing(lanes, { launches, future, marks }, span) {
  if (lanes.length === 0) return el("p", { class: "empty" }, "no launch and no known time in this span");
  const now = Date.now();
  const place = (moment) => NAMES + (moment - now + span) / (2 * span) * (WIDTH - NAMES);
  const height = lanes.length * LANE + 26;
  const row = (plugin) => lanes.indexOf(plugin) * LANE;
  const ofLanes = (items) => items.filter(({ plugin }) => lanes.includes(plugin));
  return el("div", { class: "drawing timeline", tabindex: 0, role: "group", "aria-label": "Drawing" }, svg("svg", {
    viewBox: `0 0 ${WIDTH} ${height}`, role: "group",
    "aria-label": "Timeline; the tables and the journal have the same times",
  },
  svg("rect", { class: "ahead", x: place(now), y: 0, width: WIDTH - place(now), height: height - 20 }),
  lanes.map((plugin, index) => [
    index % 2 === 0 ? svg("rect", { class: "lane", x: 0, y: row(plugin), width: WIDTH, height: LANE }) : "",
    svg("text", { x: 4, y: row(plugin) + 17 }, shortened(plugin), svg("title", {}, plugin)),
  ]),
  ofLanes(launches).map((launch) => launchBar(launch, row(launch.plugin), place, now - span)),
  ofLanes(future).map((launch) => futureBar(launch, row(launch.plugin), place, now + span)),
  ofLanes(marks).map((mark) => markShape(mark, row(mark.plugin), place(mark.at))),
  svg("line", { class: "now", x1: place(now), x2: place(now), y1: 0, y2: height - 20 }),
  [[now - span, "start"], [now, "middle"], [now + span, "end"]].map(([moment, anchor]) =>
    svg("text", { x: place(moment), y: height - 4, "text-anchor": anchor },
      moment === now ? "now" : clockText(moment)))));
}

/** The meaning of each shape. */
export function legend() {
  const shapes = [
    ["good", "launch"], ["bad", "launch with a failure"], ["busy", "running launch"], ["future", "forecast launch"],
    ["mark", "time before which a task does not start"],
  ];
  return el("p", { class: "note legend timeline" }, shapes.map(([shape, text]) => el("span", {},
    svg("svg", { viewBox: "0 0 16 12", "aria-hidden": "true" }, shape === "mark"
      ? svg("path", { class: shape, d: "M5 1l7 5l-7 5z" })
      : svg("rect", { class: shape, x: 1, y: 1, width: 14, height: 10, rx: 2 })), ` ${text}`)));
}

const shortened = (text) => (text.length > 33 ? `…${text.slice(-32)}` : text);

function launchBar(launch, y, place, first) {
  const start = place(Math.max(first, instant(launch, "started_at")));
  const isBad = BAD.has(launch.outcome) || (launch.worst_outcome ?? "succeeded") === "failed";
  const text = `launch ${launch.launch} of ${launch.plugin}: ${launch.outcome ?? "running"}, `
    + clockText(instant(launch, "started_at"))
    + (launch.used_ns === undefined ? "" : `, ${durationText(launch.used_ns)}`);
  const tone = launch.outcome === undefined ? "busy" : isBad ? "bad" : "good";
  return shape(address("launch", launch.launch), text, launch.launch, tone, start, place(endOf(launch)), y);
}

/** A hollow bar: the launch has not happened. */
function futureBar(launch, y, place, last) {
  const end = Math.min(last, instant(launch, "ends_at") ?? last);
  const names = launch.tasks.map((task) => task.identifier ?? task.event_name ?? "event").join(", ");
  const text = `forecast launch of ${launch.plugin} at ${clockText(launch.at)}: ${names}`;
  const key = `future ${launch.plugin} ${launch.at}`;
  return shape(address("plugin", launch.plugin), text, key, "future", place(launch.at), place(end), y);
}

function shape(href, text, key, tone, start, end, y) {
  return svg("a", { href, "aria-label": text, key }, svg("rect", {
    class: tone, x: start.toFixed(1), y: y + 5, width: Math.max(3, end - start).toFixed(1), height: LANE - 10, rx: 2,
  }, svg("title", {}, text)));
}

/** A triangle at a known time. */
function markShape(mark, y, x) {
  const text = `${mark.identifier} not before ${clockText(mark.at)} (${mark.cause})`;
  const half = LANE / 2 - 5;
  const path = svg("path", { class: "mark", d: `M${x.toFixed(1)} ${y + 5}l8 ${half}l-8 ${half}z` },
    svg("title", {}, text));
  return svg("a", { href: address("task", mark.identifier), "aria-label": text, key: keyOf(mark) }, path);
}
