// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The installed plugins, and the refused manifests.

import { actionButton } from "./actions.js";
import { get } from "./api.js";
import { pauseItem, resumeItem } from "./commands.js";
import { el } from "./dom.js";
import { badge, choiceFilter, filterForm, partialNote, pluginLink, section, table, textFilter } from "./parts.js";
import { instant, time } from "./times.js";

const STATES = ["ready", "running", "failing", "paused", "disabled"];
const ROWS = 100;

export const title = () => "Plugins";

export async function load(_, signal) {
  const first = await get("/v1/plugins", { limit: 1000 }, signal);
  return first;
}

export function draw(list, { filters }, { update }) {
  const text = (filters.text ?? "").toLowerCase();
  const selected = list.plugins.filter((plugin) =>
    `${plugin.identifier} ${plugin.name}`.toLowerCase().includes(text)
    && (!filters.state || plugin.state === filters.state) && (!filters.role || plugin.role === filters.role));
  return [
    filterForm(
      textFilter("text", "Search", filters), choiceFilter("state", "State", filters, STATES),
      choiceFilter("role", "Role", filters, ["main", "extension"])),
    section("Installed", bulkButtons(selected.slice(0, ROWS), update), pluginTable(selected.slice(0, ROWS)),
      selected.length > ROWS
        ? el("p", { class: "note" }, `${selected.length - ROWS} further plugins; search to see them`) : undefined,
      partialNote(list, "the host has more than 1000 plugins; search by bgtask plugin list")),
    list.refused.length > 0 ? section("Refused", refusedTable(list.refused)) : "",
  ].filter(Boolean);
}

function bulkButtons(plugins, update) {
  if (plugins.length === 0) return undefined;
  const paused = plugins.filter(({ pause }) => pause);
  const others = plugins.filter(({ pause }) => !pause);
  return el("div", { class: "buttons" },
    others.length > 0 ? actionButton(`Pause ${others.length} shown for 1 h`,
      () => others.map(({ identifier }) => pauseItem(identifier, 1)), { done: update }) : "",
    paused.length > 0 ? actionButton(`Resume ${paused.length} shown`,
      () => paused.map(({ identifier }) => resumeItem(identifier)), { done: update }) : "");
}

function pluginTable(plugins) {
  return table("Plugins", [
    ["Plugin", (plugin) => pluginLink(plugin.identifier)],
    ["Name", (plugin) => `${plugin.name} ${plugin.version ?? ""}`],
    ["Role", (plugin) => plugin.role],
    ["State", (plugin) => [badge(plugin.state), plugin.pause ? pauseText(plugin.pause) : ""]],
    ["Running", (plugin) => plugin.running],
    ["Pending", (plugin) => plugin.pending],
    ["Events", (plugin) => plugin.events],
    ["Modes", (plugin) => plugin.modes.join(", ")],
  ], plugins, { key: (plugin) => plugin.identifier, empty: "no plugin is selected" });
}

export function pauseText(pause) {
  const until = instant(pause, "until");
  return el("span", { class: "note" }, until === undefined ? " until it is resumed" : [" until ", time(until)]);
}

function refusedTable(refused) {
  return table("Refused manifests", [
    ["Manifest", (file) => file.file],
    ["Problems", (file) => el("ul", { class: "plain" }, (file.problems ?? []).map((note) => el("li", {},
      badge(note.severity), ` ${note.line ? `line ${note.line}: ` : ""}${note.message}`)))],
  ], refused, { key: (file) => file.file });
}
