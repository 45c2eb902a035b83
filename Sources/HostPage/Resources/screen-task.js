// Part of bgtask, under the Apache License 2.0; see LICENSE.

// One task: why it waits, what it has waited for, its launches, its log and its cursor.

import { actionButton } from "./actions.js";
import { get, getTasks, path } from "./api.js";
import { cancelItem, clearCursorItem, retryItem, runItem, stopItem } from "./commands.js";
import { el, link } from "./dom.js";
import { launchTable, logList } from "./launches.js";
import {
  badge, emptyText, facts, launchLink, partialNote, pluginLink, reasonText, section, table, taskLink, textFilter,
} from "./parts.js";
import { address } from "./places.js";
import { command } from "./session.js";
import { countdown, durationText, instant, time } from "./times.js";
import { waitBars } from "./waits.js";

const LAUNCHES = 100;
const LINES = 100;
const ROWS = 100;
const VERDICTS = { wait: "busy", must: "good" };

export const title = ({ value }) => value ?? "Task";
export const isBusy = ({ why }) => why?.state === "running";

export async function load({ value }, signal) {
  if (value === undefined) return { tasks: await getTasks({}, signal) };
  const why = await get(path("/v1/tasks/{identifier}/why", value), {}, signal);
  const [launches, logs, cursor] = await Promise.all([
    why.plugin ? get("/v1/launches", { plugin: why.plugin, limit: LAUNCHES }, signal) : { launches: [] },
    get("/v1/logs", { identifier: value, limit: LINES }, signal).catch(missing),
    why.cursor ? get(path("/v1/tasks/{identifier}/cursor", value), {}, signal).catch(missing) : undefined,
  ]);
  const own = launches.launches.filter(({ tasks }) => tasks.some((task) => task.identifier === value));
  return { why, launches: own, logs, cursor };
}

/** A part that this user may not see, or that does not exist, does not hide the others. */
function missing(error) {
  if (error.name === "AbortError" || error.isGone) throw error;
  return { message: error.message };
}

export function draw(data, { filters }, { update }) {
  if (data.tasks) return drawChoice(data.tasks, filters);
  const { why, launches, logs, cursor } = data;
  return [
    el("div", { class: "buttons", key: "buttons" }, buttons(why, update)),
    section("State", stateFacts(why)),
    section("Why", reasons(why), why.change
      ? el("p", { class: "change" }, `One change that lets it run now: ${why.change.message}`) : undefined),
    why.policies ? section("Policies", policyTable(why.policies)) : "",
    why.history?.length > 0 ? section("History of waits", waitBars(why.history), historyTable(why.history)) : "",
    section("Cursor", cursorPart(cursor, why, update)),
    section("Launches", launchTable(launches, { hasPlugin: false })),
    section("Log", logs.message ? el("p", { class: "empty" }, logs.message) : logList(logs.lines)),
    el("p", { class: "note", key: "commands" }, "On a terminal: ", el("code", {}, command("why", why.identifier)), ", ",
      el("code", {}, command("logs", why.identifier)), ". ",
      link(address("journal", undefined, { identifier: why.identifier }), "Entries of the journal")),
  ].filter(Boolean);
}

function drawChoice(tasks, filters) {
  const text = (filters.text ?? "").toLowerCase();
  const all = [...tasks.running.filter((task) => task.identifier), ...tasks.pending]
    .filter((task) => task.identifier.toLowerCase().includes(text));
  return [
    el("form", { class: "filters", role: "search", key: "filters", on: { submit: open } },
      textFilter("text", "Search or identifier", filters), el("button", { type: "submit" }, "Open")),
    section("Tasks", table("Tasks", [
      ["Task", (task) => taskLink(task.identifier)], ["Kind", (task) => task.kind],
      ["State", (task) => (task.launch ? badge("running") : reasonText(task.reason))],
    ], all.slice(0, ROWS), {
      key: (task) => task.submission, empty: emptyText(tasks, "no task runs or waits; type its identifier"),
    }), partialNote(tasks, "type the identifier")),
  ];
}

/** Opens the task with the typed identifier, which may have ended long ago. */
function open(event) {
  event.preventDefault();
  const text = event.currentTarget.querySelector("input").value.trim();
  if (text) location.hash = address("task", text);
}

function buttons(why, update) {
  const { identifier, state } = why;
  const options = { done: update };
  return [
    state === "pending" ? actionButton("Run now", () => [runItem(identifier)], options) : "",
    state === "running" ? actionButton("Stop", () => [stopItem(identifier)], options) : "",
    state === "pending" ? actionButton("Cancel", () => [cancelItem(identifier)], { ...options, tone: "danger" }) : "",
    state === "finished" ? actionButton("Retry", () => [retryItem(identifier)], options) : "",
  ].filter(Boolean);
}

function stateFacts(why) {
  const last = why.last_outcome;
  const earliest = instant(why, "earliest_possible");
  return facts([
    ["State", badge(why.state)],
    ["Plugin", why.plugin && pluginLink(why.plugin)],
    ["Kind", why.kind],
    ["Runs in", why.running && [launchLink(why.running.launch), ` for ${durationText(why.running.used_ns)}`]],
    ["Earliest possible", why.earliest_possible && (earliest === undefined ? "unknown: it depends on conditions"
      : [time(earliest), " (", countdown(earliest), ")"])],
    ["Deadline", instant(why, "expires_at") && time(instant(why, "expires_at"))],
    ["Schedule", why.schedule && why.schedule.rhythm],
    ["Next occurrence", instant(why, "next_occurrence") && time(instant(why, "next_occurrence"))],
    ["Last outcome", last && [badge(last.outcome), " ", time(instant(last, "at")),
      last.message ? `: ${last.message}` : "", last.blame && last.blame !== "nobody" ? ` (blame: ${last.blame})` : ""]],
  ]);
}

function reasons(why) {
  if (why.state === "unknown") return el("p", {}, "the host has no submission of this task");
  if (why.reasons.length === 0) return el("p", {}, "no reason blocks the task");
  return el("ul", { class: "plain" }, why.reasons.map((reason) => el("li", {}, reasonText(reason),
    reason.remedy ? el("div", { class: "note" }, `remedy: ${reason.remedy}`) : "")));
}

function policyTable(policies) {
  return table("Policies", [
    ["Policy", ({ policy }) => policy],
    ["Verdict", ({ verdict, ...policy }) => [
      el("span", { class: `badge ${VERDICTS[verdict] ?? "plain"}` }, verdict),
      instant(policy, "until") ? [" until ", time(instant(policy, "until"))] : ""]],
    ["Rationale", ({ rationale }) => rationale],
  ], policies, { key: ({ policy }) => policy });
}

function historyTable(history) {
  return table("Waits", [
    ["Reason", ({ code }) => code],
    ["Since", (wait) => time(instant(wait, "since"))],
    ["Until", (wait) => (instant(wait, "until") ? time(instant(wait, "until")) : "still waits")],
    ["Duration", ({ duration_ns: duration }) => durationText(duration)],
  ], history, { key: (wait) => `${wait.submission}-${wait.code}-${wait.since_ns}` });
}

function cursorPart(cursor, why, update) {
  if (!cursor) return el("p", { class: "empty" }, "the task has no cursor: it begins from the start");
  if (cursor.message) return el("p", { class: "empty" }, cursor.message);
  return [
    facts([
      ["Moved", time(instant(cursor, "moved_at"))], ["Length", `${cursor.length} bytes`],
      ["Text", cursor.text && el("code", {}, cursor.text)], ["Bytes", cursor.hex && el("code", {}, cursor.hex)],
      ["Version of the plugin", cursor.version], ["Runs without progress", cursor.standstills],
    ]),
    actionButton("Clear the cursor", () => [clearCursorItem(why.identifier)], {
      done: update, tone: "danger", warning: "The next run begins from the start.",
    }),
  ];
}
