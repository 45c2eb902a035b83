// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The journal, newest entry first, with its filters.

import { get } from "./api.js";
import { el, link } from "./dom.js";
import {
  badge, choiceFilter, filterForm, launchLink, pluginLink, section, table, taskLink, textFilter,
} from "./parts.js";
import { address } from "./places.js";
import { command } from "./session.js";
import { instant, time } from "./times.js";

const LIMIT = 100;
const BLAMES = ["nobody", "plugin", "host", "user", "machine", "unknown"];
/** Titles, and the events of each; every event is in one group. */
const GROUPS = [
  ["failures of tasks", ["failed", "expired", "overran", "not-registered", "abandoned", "no-progress", "crashed",
    "exited", "killed-for-memory", "entry-failed", "load-failed", "setbacks"]],
  ["other ends of tasks", ["succeeded", "no-data", "retrying", "interrupted", "continues", "consumed"]],
  ["launches", ["launched", "launch-completed", "launch-expired", "launch-overran", "launch-crashed", "launch-exited",
    "launch-killed-for-memory", "launch-entry-failed", "launch-load-failed", "launch-interrupted", "launch-lost",
    "limits-missing"]],
  ["submissions", ["submitted", "replaced", "cancelled", "lapsed", "lease-lost", "superseded", "occurrence-missed"]],
  ["actions of users", ["stop-requested", "cancel-requested", "launch-requested", "expiration-simulated", "triggered",
    "conditions-simulated", "simulation-ended", "cursor-cleared"]],
  ["transfers", ["transfer-paused", "transfer-resumed", "download-refused"]],
  ["pushes and notifications", ["notified", "push-token-changed"]],
  ["plugins", ["plugin-installed", "plugin-changed", "plugin-refused", "provenance-refused", "plugin-removed",
    "plugin-paused", "plugin-resumed"]],
  ["violations", ["violation", "denied", "leftover-killed"]],
  ["the host", ["disk-low", "configuration-reloaded", "backed-up", "restored", "outcomes-lost"]],
];

export const title = () => "Journal";

export async function load({ filters }, signal) {
  const { plugin, identifier, event, blame, since, launch, before } = filters;
  return get("/v1/journal", { plugin, identifier, event, blame, since, launch, before, limit: LIMIT }, signal);
}

export function draw(journal, { filters }) {
  const entries = journal.entries.toReversed();
  const oldest = entries.at(-1)?.number;
  return [
    ...fields({ filters }),
    section("Entries", table("Journal", [
      ["Number", (entry) => entry.number],
      ["Time", (entry) => time(instant(entry, "at"))],
      ["Event", (entry) => badge(entry.event)],
      ["Subject", subject],
      ["Blame", (entry) => (entry.blame === "nobody" ? "" : entry.blame)],
      ["Message", (entry) => [entry.message, userNote(entry.user)]],
    ], entries, { key: (entry) => entry.number, empty: "no entry matches the filters" })),
    el("p", { class: "buttons", key: "pages" },
      filters.before ? link(address("journal", undefined, { ...filters, before: "" }), "Newest entries, live") : "",
      entries.length === LIMIT && oldest > 1
        ? link(address("journal", undefined, { ...filters, before: oldest }), "Older entries") : ""),
    el("p", { class: "note", key: "command" }, "On a terminal: ", el("code", {}, terminal(filters))),
  ];
}

export function fields({ filters }) {
  return [filterForm(
    textFilter("plugin", "Plugin", filters), textFilter("identifier", "Task", filters),
    choiceFilter("event", "Events", filters, GROUPS.map(([title, events]) => [events.join(), title])),
    choiceFilter("blame", "Blame", filters, BLAMES),
    textFilter("launch", "Launch", filters),
    choiceFilter("since", "Since", filters, [["1h", "1 hour"], ["1d", "1 day"], ["7d", "7 days"]]))];
}

/** The user whose call has caused an entry. */
function userNote(user) {
  if (!user) return "";
  return el("span", { class: "note" }, ` by user ${user.uid}${user.command ? `, ${user.command}` : ""}`);
}

function subject(entry) {
  return [
    entry.identifier ? taskLink(entry.identifier) : entry.plugin ? pluginLink(entry.plugin) : "host",
    entry.event_name ? ` ${entry.event_name}` : "", entry.launch ? [" ", launchLink(entry.launch)] : "",
  ];
}

function terminal(filters) {
  const options = ["plugin", "identifier", "event", "blame", "since", "launch"].filter((name) => filters[name])
    .flatMap((name) => [`--${name}`, filters[name]]);
  return command("journal", ...options);
}
