// Part of bgtask, under the Apache License 2.0; see LICENSE.

// What would run under other conditions or policies. The host decides over a copy of its state; nothing happens.

import { CONDITIONS } from "./conditions.js";
import { el } from "./dom.js";
import { forecastFor, partText } from "./forecasts.js";
import { choiceFilter, filterForm, pluginLink, reasonText, section, table, taskLink, textFilter } from "./parts.js";
import { refine } from "./places.js";
import { command } from "./session.js";
import { countdown, durationText, instant, nanoseconds, time } from "./times.js";
import { compared } from "./whatif.js";

const SPANS = { "1h": 3600e3, "6h": 6 * 3600e3, "1d": 86400e3, "7d": 7 * 86400e3 };
const POLICIES = [
  "user", "maximum-deferral", "use", "spacing", "day-budget", "stagger", "idle", "load", "battery", "power-saver",
];
const TIMES = [
  ["stagger", "Stagger"], ["refresh_spacing", "Spacing of refreshes"], ["push_spacing", "Spacing of pushes"],
  ["overrun_spacing", "Spacing after an overrun"], ["longest_spacing", "Longest spacing"],
  ["day_budget", "Day budget"], ["maximum_deferral", "Maximum deferral"],
  ["maximum_capacity_wait", "Maximum wait for capacity"],
];
const WORDS = { yes: true, no: false };
const ROWS = 100;

export const title = () => "What-if";
/** Milliseconds between two updates: the host computes one forecast at a time. */
export const pause = 15_000;

const spanOf = (filters) => (SPANS[filters.span] ? filters.span : "1d");

export async function load({ filters }, signal) {
  const span = SPANS[spanOf(filters)];
  const plugin = filters.plugin || undefined;
  const present = await forecastFor(span, { plugin }, signal);
  const changes = { plugin, conditions: conditionsOf(filters), policies: policiesOf(filters) };
  const isChanged = Boolean(changes.conditions || changes.policies);
  return { present, isChanged, changed: isChanged ? await forecastFor(span, changes, signal) : present };
}

/** The conditions of an order; undefined when none differs. */
function conditionsOf(filters) {
  const pairs = CONDITIONS.filter(([name]) => filters[name] in WORDS).map(([name]) => [name, WORDS[filters[name]]]);
  const containers = [["locked", true], ["unlocked", false]].filter(([name]) => filters[name])
    .map(([name, isLocked]) => [filters[name], isLocked]);
  if (containers.length > 0) pairs.push(["locked_containers", Object.fromEntries(containers)]);
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

/** The settings of policies of an order; undefined when none differs. */
function policiesOf(filters) {
  const pairs = TIMES.filter(([name]) => filters[name]).map(([name]) => [`${name}_ns`, nanoseconds(filters[name])]);
  if (filters.off) pairs.push(["off", offOf(filters)]);
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

const offOf = (filters) => (filters.off === "none" ? [] : filters.off.split(","));

/** The fields, also beside a refusal; `off` are the policies that are off now. */
export function fields({ filters }, off = []) {
  return [
    filterForm(
      choiceFilter("span", "Until", { span: spanOf(filters) }, Object.keys(SPANS), { all: null }),
      textFilter("plugin", "Plugin", filters)),
    el("fieldset", { class: "filters", key: "conditions" }, el("legend", {}, "Conditions"),
      CONDITIONS.map(([name, text]) => choiceFilter(name, text, filters, Object.keys(WORDS), { all: "as now" })),
      textFilter("locked", "locked container of", filters), textFilter("unlocked", "unlocked container of", filters)),
    el("fieldset", { class: "filters", key: "policies" }, el("legend", {}, "Policies"),
      POLICIES.map((policy) => policyField(policy, filters.off ? offOf(filters) : off))),
    el("fieldset", { class: "filters", key: "times" }, el("legend", {}, "Settings of policies, such as 30min or 2h"),
      TIMES.map(([name, text]) => textFilter(name, text, filters))),
  ];
}

function policyField(policy, off) {
  const change = ({ target }) => {
    const next = target.checked ? off.filter((name) => name !== policy) : [...off, policy];
    refine({ off: next.join(",") || "none" });
  };
  return el("label", { class: "filter", key: policy },
    el("input", { type: "checkbox", checked: !off.includes(policy), on: { change } }), policy);
}

export function draw({ present, changed, isChanged }, { filters }) {
  const rows = compared(present, changed);
  const count = rows.filter(({ isOther }) => isOther).length;
  return [
    el("p", { key: "about" }, "The host decides over a copy of its state. Nothing happens, and nothing is changed."),
    ...fields({ filters }, present.policies.off),
    el("p", { class: "note", key: "command" }, "On a terminal: ", el("code", {}, terminal(filters))),
    section("What would run",
      el("p", { role: "status" }, isChanged ? differenceText(count, rows.length)
        : "Present conditions and policies. Change one to compare."),
      partText(changed) ? el("p", { class: "note" }, partText(changed)) : undefined,
      comparisonTable(rows, isChanged)),
    section("What would still wait", waitTable(changed)),
    section("Assumptions", el("ul", {}, changed.assumptions.map((text) => el("li", {}, text)))),
  ];
}

const differenceText = (count, all) => (count === 0 ? "The change has no effect on the starts below."
  : `The change affects ${count} of ${all} tasks.`);

function comparisonTable(rows, isChanged) {
  const columns = [
    ["Task", (row) => (row.identifier ? taskLink(row.identifier) : row.name)],
    ["Plugin", (row) => pluginLink(row.plugin)],
    ["Kind", (row) => row.kind],
    ["Now: first start", (row) => startText(row.present)], ["Then: first start", (row) => startText(row.changed)],
    ["Difference", differenceOf], ["Launches", (row) => (row.presentCount === row.changedCount ? row.changedCount
      : `${row.presentCount} → ${row.changedCount}`)],
  ];
  const shown = columns.filter(([name]) => isChanged || !/^(Then|Difference)/.test(name));
  return [
    table("What would run", shown, rows.slice(0, ROWS), {
      key: (row) => row.key, empty: "nothing would run", rowClass: (row) => (row.isOther ? "other" : undefined),
    }),
    furtherNote(rows.length - ROWS),
  ];
}

const furtherNote = (count) => (
  count > 0 ? el("p", { class: "note" }, `${count} further tasks; filter by plugin`) : undefined);

const startText = (moment) => (moment === undefined ? "–" : [time(moment), " (", countdown(moment), ")"]);

function differenceOf({ present, changed, isOther }) {
  if (present === undefined) return el("strong", {}, "would run");
  if (changed === undefined) return el("strong", {}, "would not run");
  if (!isOther) return "";
  const distance = durationText(Math.abs(changed - present) * 1e6);
  if (changed === present) return el("strong", {}, "more or fewer launches");
  return el("strong", {}, changed < present ? `earlier by ${distance}` : `later by ${distance}`);
}

function waitTable({ waiting, waiting_count: count }) {
  return [
    table("Waiting tasks", [
      ["Task", (work) => (work.identifier ? taskLink(work.identifier) : work.event_name)],
      ["Plugin", (work) => pluginLink(work.plugin)], ["Kind", (work) => work.kind],
      ["Blocked by", (work) => reasonText(work.reason)],
    ], waiting.slice(0, ROWS), { empty: "nothing would wait at the end" }),
    furtherNote(count - ROWS),
  ];
}

/** The command that prints the same forecast. */
function terminal(filters) {
  const option = (name) => `--${name.replaceAll("_", "-")}`;
  const conditions = CONDITIONS.filter(([name]) => filters[name] in WORDS)
    .flatMap(([name]) => [option(name), String(WORDS[filters[name]])]);
  const texts = ["locked", "unlocked", "off", "plugin", ...TIMES.map(([name]) => name)]
    .filter((name) => filters[name]).flatMap((name) => [option(name), filters[name]]);
  return command("simulate", "forecast", ...conditions, ...texts, "--until", `+${spanOf(filters)}`);
}
