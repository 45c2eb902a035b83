// Part of bgtask, under the Apache License 2.0; see LICENSE.

// What runs, what runs next, and what is blocked by which reason.

import { actionButton } from "./actions.js";
import { get, getTasks } from "./api.js";
import { cancelItem, runItem, stopItem } from "./commands.js";
import { conditionList } from "./conditions.js";
import { el, link } from "./dom.js";
import {
  badge, choiceFilter, emptyText, filterForm, launchLink, partialNote, pluginLink, reasonText, section, table, taskLink,
  textFilter, usageBar, workName,
} from "./parts.js";
import { address } from "./places.js";
import { countdown, instant, time } from "./times.js";

const KINDS = ["refresh", "processing", "health-research", "continued", "event", "push", "transfer"];
/** Rows of the waiting work on the page; filters reach the others. */
const ROWS = 100;
const NEXT_ROWS = 8;

export const title = () => "Now";
export const isBusy = (data) => data.tasks.running.length > 0;

export async function load({ filters }, signal) {
  const query = { plugin: filters.plugin, kind: filters.kind };
  const [host, tasks] = await Promise.all([get("/v1/host", {}, signal), getTasks(query, signal)]);
  return { host, tasks };
}

export function draw({ host, tasks }, { filters }, { update }) {
  const waiting = tasks.pending.filter((task) => isSelected(task, filters));
  const moments = tasks.pending.filter(startsByTime).sort((one, other) => startOf(one) - startOf(other));
  return [
    section("Host", hostLine(host), conditionList(host.conditions)),
    ...fields({ filters }),
    section("Running", runningTable(tasks.running, update)),
    section("Next",
      el("p", { class: "note" }, "A task does not start before its time. Other reasons can delay it further."),
      nextTable(moments.slice(0, NEXT_ROWS), tasks)),
    section("Blocked by reason", reasonTiles(tasks, filters), partialNote(tasks, "filter by plugin or kind")),
    section("Waiting", bulkButtons(waiting.slice(0, ROWS), update), waitingTable(tasks, waiting, update),
      partialNote(tasks, "filter by plugin or kind")),
    tasks.events.length > 0 ? section("Waiting events", eventTable(tasks.events)) : "",
  ].filter(Boolean);
}

function hostLine(host) {
  const lanes = host.launch_limits.map((lane) => `${lane.lane} ${lane.running} of ${lane.limit}`).join(", ");
  const { counts } = host;
  return el("p", { class: "line" },
    el("span", {}, `bgtaskd ${host.version} of ${host.user}, since `, time(instant(host, "started_at"))),
    el("span", {}, `${counts.plugins} plugins, ${counts.pending} pending, ${counts.events} events`),
    el("span", {}, `launches: ${lanes}`),
    host.ledger.state === "writable" ? undefined : badge(`ledger ${host.ledger.state}`),
    host.stopping ? badge("stopping") : undefined);
}

export function fields({ filters }) {
  return [filterForm(
    textFilter("text", "Search", filters), textFilter("plugin", "Plugin", filters),
    choiceFilter("kind", "Kind", filters, KINDS), textFilter("reason", "Reason", filters))];
}

function isSelected(task, filters) {
  const text = `${task.identifier} ${task.title ?? ""}`.toLowerCase();
  return text.includes((filters.text ?? "").toLowerCase())
    && (!filters.reason || (task.reason?.code ?? "eligible") === filters.reason);
}

/** Whether the first reason of the task ends at a known time; others may block it then. */
function startsByTime(task) {
  return startOf(task) !== undefined;
}

const startOf = (task) => (task.reason ? instant(task.reason, "until") : Date.now());

function runningTable(running, update) {
  return table("Running tasks", [
    ["Task", (task) => [workName(task), task.title ? el("span", { class: "title" }, task.title) : "",
      task.subtitle ? el("span", { class: "note" }, task.subtitle) : ""]],
    ["Plugin", (task) => pluginLink(task.plugin)],
    ["Kind", (task) => task.kind],
    ["Budget or progress", usageBar],
    ["Launch", (task) => launchLink(task.launch)],
    ["", (task) => [task.expiring ? badge("expiring") : "",
      task.identifier ? actionButton("Stop", () => [stopItem(task.identifier)], { done: update }) : ""]],
  ], running, { key: (task) => task.submission, empty: "nothing runs" });
}

function nextTable(rows, tasks) {
  return table("Next tasks", [
    ["Not before", (task) => (task.reason ? countdown(startOf(task)) : "now")],
    ["Task", (task) => taskLink(task.identifier)],
    ["Kind", (task) => task.kind],
    ["At", (task) => time(startOf(task))],
    ["Reason", (task) => (task.reason ? task.reason.code : "as soon as capacity permits")],
  ], rows, { key: (task) => task.submission, empty: emptyText(tasks, "no pending task waits for a time") });
}

/** One tile for each reason, which selects the tasks that it blocks. */
function reasonTiles(tasks, filters) {
  const counts = new Map();
  for (const task of tasks.pending) {
    const code = task.reason?.code ?? "eligible";
    counts.set(code, { count: (counts.get(code)?.count ?? 0) + 1, message: task.reason?.message ?? "may start now" });
  }
  if (counts.size === 0) return el("p", { class: "empty" }, emptyText(tasks, "no request waits"));
  const sorted = [...counts].sort(([, one], [, other]) => other.count - one.count);
  return el("ul", { class: "tiles" }, sorted.map(([code, { count, message }]) => el("li", { key: code },
    link(address("now", undefined, { ...filters, reason: filters.reason === code ? "" : code }),
      el("strong", {}, count), el("span", {}, code), el("small", {}, count === 1 ? message : "")))));
}

function bulkButtons(waiting, update) {
  if (waiting.length === 0) return undefined;
  const all = (item) => () => waiting.map((task) => item(task.identifier));
  return el("div", { class: "buttons" },
    actionButton(`Run all ${waiting.length} shown`, all(runItem), { done: update }),
    actionButton(`Cancel all ${waiting.length} shown`, all(cancelItem), { done: update, tone: "danger" }));
}

function waitingTable(tasks, waiting, update) {
  const more = waiting.length - ROWS;
  return [table("Waiting tasks", [
    ["Task", (task) => [taskLink(task.identifier), task.title ? el("span", { class: "title" }, task.title) : ""]],
    ["Kind", (task) => task.kind],
    ["Blocked by", (task) => reasonText(task.reason)],
    ["Submitted", (task) => [time(instant(task, "submitted_at")),
      el("span", { class: "note" }, ` by ${task.submitter}`)]],
    ["", (task) => [actionButton("Run", () => [runItem(task.identifier)], { done: update }),
      actionButton("Cancel", () => [cancelItem(task.identifier)], { done: update, tone: "danger" })]],
  ], waiting.slice(0, ROWS), { key: (task) => task.submission, empty: emptyText(tasks, "no request waits") }),
  more > 0 ? el("p", { class: "note" }, `${more} further requests; filter to see them`) : undefined];
}

function eventTable(events) {
  return table("Waiting events", [
    ["Event", (event) => event.event_name],
    ["Plugin", (event) => pluginLink(event.plugin)],
    ["Blocked by", (event) => reasonText(event.reason)],
    ["Created", (event) => time(instant(event, "created_at"))],
  ], events.slice(0, ROWS), { key: (event) => event.submission });
}
