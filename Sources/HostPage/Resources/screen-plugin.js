// Part of bgtask, under the Apache License 2.0; see LICENSE.

// One plugin: its grants, its origin, its limits, its statistics and its launches.

import { actionButton } from "./actions.js";
import { get, getTasks, path } from "./api.js";
import { pauseItem, resumeItem } from "./commands.js";
import { el } from "./dom.js";
import { launchTable } from "./launches.js";
import {
  badge, bar, emptyText, facts, partialNote, pluginLink, reasonText, section, table, taskLink,
} from "./parts.js";
import { pauseText } from "./screen-plugins.js";
import { durationText, instant, time } from "./times.js";

const LAUNCHES = 20;
const ROWS = 100;

export const title = ({ value }) => value;
export const isBusy = ({ plugin }) => plugin.running > 0;

export async function load({ value }, signal) {
  const [plugin, stats, launches, tasks] = await Promise.all([
    get(path("/v1/plugins/{identifier}", value), {}, signal),
    get("/v1/stats", { plugin: value }, signal),
    get("/v1/launches", { plugin: value, limit: LAUNCHES }, signal),
    getTasks({ plugin: value }, signal),
  ]);
  return { plugin, stats, launches, tasks };
}

export function draw({ plugin, stats, launches, tasks }, _, { update }) {
  return [
    el("div", { class: "buttons", key: "buttons" }, pauseButtons(plugin, update)),
    section("State", stateFacts(plugin), plugin.reasons.length > 0
      ? el("ul", { class: "plain" }, plugin.reasons.map((reason) => el("li", {}, reasonText(reason)))) : undefined),
    section("Tasks", taskTable(tasks), partialNote(tasks, "use bgtask task list")),
    section("Grants", grantTable(plugin.grants), grantFacts(plugin.grants)),
    section("Origin", originFacts(plugin)),
    section("Limits", limitTable(plugin)),
    section("Statistics of 7 days", statsTable(stats.rows)),
    section("Settings", settingsTable(plugin)),
    section("Launches", launchTable(launches.launches, { hasPlugin: false })),
  ];
}

function pauseButtons(plugin, update) {
  const { identifier } = plugin;
  if (plugin.pause) return actionButton("Resume", () => [resumeItem(identifier)], { done: update });
  return [[1, "1 h"], [24, "1 day"]].map(([hours, text]) =>
    actionButton(`Pause for ${text}`, () => [pauseItem(identifier, hours)], { done: update }))
    .concat(actionButton("Pause", () => [pauseItem(identifier)], {
      done: update, warning: "The plugin waits until it is resumed.",
    }));
}

function stateFacts(plugin) {
  return facts([
    ["State", [badge(plugin.state), plugin.pause ? pauseText(plugin.pause) : ""]],
    ["Name", `${plugin.name} ${plugin.version ?? ""}`],
    ["Role", plugin.role],
    ["Main plugin", plugin.containing_plugin && pluginLink(plugin.containing_plugin)],
    ["Extensions", plugin.extensions.length > 0 && plugin.extensions.map((name) => [pluginLink(name), " "])],
    ["Background modes", plugin.modes.join(", ")],
    ["Permitted identifiers", plugin.permitted.join(", ")],
  ].map(([name, value]) => [name, value || undefined]));
}

function taskTable(tasks) {
  const all = [...tasks.running, ...tasks.pending];
  return [table("Tasks", [
    ["Task", (task) => (task.identifier ? taskLink(task.identifier) : task.event_name)],
    ["Kind", (task) => task.kind],
    ["State", (task) => (task.launch ? badge("running") : reasonText(task.reason))],
  ], all.slice(0, ROWS), { key: (task) => task.submission, empty: emptyText(tasks, "no task runs or waits") }),
  all.length > ROWS
    ? el("p", { class: "note" }, `${all.length - ROWS} further tasks; use bgtask task list`) : undefined];
}

/** Each right that the manifest requests, and what it is effectively. */
function grantTable({ rights = [] }) {
  return table("Grants", [
    ["Grant", (right) => right.grant],
    ["Requested", (right) => [right.requested === undefined ? "yes" : String(right.requested),
      right.setting ? el("span", { class: "note" }, ` by the setting ${right.setting}`) : ""]],
    ["Effective", (right) => (right.effective ?? []).join(", ") || el("strong", {}, "nothing")],
  ], rights, { empty: "the manifest requests no grants" });
}

function grantFacts({ guarantees = [], process_limit: processes, file_size_limit_bytes: size, user }) {
  return el("details", {}, el("summary", {}, "Sandbox"), facts([
    ["User", user], ["Processes", processes], ["File size", size && `${size} bytes`],
    ...guarantees.map((item) => [item.name, item.enforced_by ?? el("span", { class: "bad" },
      `not enforced: ${item.not_enforced}`)]),
  ]));
}

function originFacts(plugin) {
  const { source, pinned, signer } = plugin.provenance;
  return facts([
    ["Source", source],
    ["Signer", signer && `${signer.principals} (${signer.key_type} ${signer.fingerprint})`],
    ["Files pinned", pinned ? "yes" : "no"],
    ["Manifest", el("code", {}, plugin.manifest)],
    ["Library", el("code", {}, plugin.library)],
    ["Digest of the library", el("code", {}, plugin.library_digest)],
  ]);
}

function limitTable(plugin) {
  const budgets = new Map(plugin.budgets.map(({ kind, budget_ns: budget }) => [kind, budget]));
  return [
    table("Limits", [
      ["Kind", ({ kind }) => kind],
      ["Pending", ({ used, limit }) => bar(used / limit, `${used} of ${limit}`, "used limit")],
      ["Budget", ({ kind }) => (budgets.has(kind) ? durationText(budgets.get(kind)) : "none")],
    ], plugin.limits, { key: ({ kind }) => kind }),
    facts([
      ["Grace period", durationText(plugin.grace_period_ns)],
      ["Spacing", durationText(plugin.spacing_ns)],
      ["Day budget", durationText(plugin.day_budget_ns)],
    ]),
  ];
}

function statsTable(rows) {
  const pair = (value, text) => (value ? `${text(value.median_ns)} / ${text(value.p95_ns)}` : "–");
  return table("Statistics", [
    ["Kind", (row) => row.kind],
    ["Launches", (row) => row.launches],
    ["Succeeded", (row) => (row.success_percent === undefined ? "–"
      : bar(row.success_percent / 100, `${row.success_percent} %`, "succeeded"))],
    ["Failed", (row) => row.failed],
    ["Interrupted", (row) => row.interrupted],
    ["Delay, median / p95", (row) => pair(row.delay, durationText)],
    ["Running time, median / p95", (row) => pair(row.run_time, durationText)],
  ], rows, { key: (row) => row.kind, empty: "no launch has ended" });
}

function settingsTable({ settings, secrets }) {
  const rows = [...Object.entries(settings).map(([name, value]) => ({ name, value: el("code", {}, value) })),
    ...secrets.map(({ setting, source }) => ({
      name: setting, value: el("span", { class: "note" }, source ? `secret, from ${source}` : "secret, not configured"),
    }))];
  return table("Settings", [["Setting", ({ name }) => name], ["Value", ({ value }) => value]], rows,
    { key: ({ name }) => name, empty: "the plugin has no settings" });
}
