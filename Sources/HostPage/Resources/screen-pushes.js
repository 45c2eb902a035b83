// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Pushes: those that wait or run, the plugins that accept them, and their entries in the journal.

import { get, getTasks } from "./api.js";
import { el } from "./dom.js";
import { badge, emptyText, partialNote, pluginLink, reasonText, section, table } from "./parts.js";
import { command } from "./session.js";
import { instant, time } from "./times.js";

const ROWS = 100;

export const title = () => "Pushes";
export const isBusy = ({ tasks }) => tasks.running.length > 0;

export async function load(_, signal) {
  const [tasks, plugins, stats, tokens] = await Promise.all([
    getTasks({ kind: "push" }, signal), get("/v1/plugins", { limit: 1000 }, signal),
    get("/v1/stats", {}, signal), get("/v1/journal", { event: "push-token-changed", limit: 20 }, signal),
  ]);
  const accepting = plugins.plugins.filter(({ modes }) => modes.includes("remote-notification"));
  return { tasks, plugins: accepting, stats, tokens };
}

export function draw({ tasks, plugins, stats, tokens }) {
  const rows = new Map(stats.rows.filter(({ kind }) => kind === "push").map((row) => [row.plugin, row]));
  return [
    section("Waiting and running pushes", table("Pushes", [
      ["Plugin", (push) => pluginLink(push.plugin)],
      ["State", (push) => (push.launch ? badge("running") : reasonText(push.reason))],
      ["Submission", (push) => push.submission],
      ["Received", (push) => time(instant(push, "submitted_at") ?? instant(push, "started_at"))],
      ["Deadline", (push) => time(instant(push, "expires_at"))],
    ], [...tasks.running, ...tasks.pending].slice(0, ROWS), {
      key: (push) => push.submission, empty: emptyText(tasks, "no push waits or runs"),
    }), partialNote(tasks, "use bgtask task list --kind push")),
    section("Plugins that accept pushes", table("Plugins", [
      ["Plugin", (plugin) => pluginLink(plugin.identifier)], ["State", (plugin) => badge(plugin.state)],
      ["Launches in 7 days", (plugin) => rows.get(plugin.identifier)?.launches ?? 0],
      ["Succeeded", (plugin) => rows.get(plugin.identifier)?.succeeded ?? 0],
      ["Failed", (plugin) => rows.get(plugin.identifier)?.failed ?? 0],
    ], plugins.slice(0, ROWS), {
      key: (plugin) => plugin.identifier, empty: "no plugin has the background mode remote-notification",
    })),
    plugins.length > ROWS || tasks.pending.length > ROWS
      ? el("p", { class: "note", key: "more" }, `${ROWS} pushes and plugins are shown at most`) : "",
    section("Changes of device tokens", table("Tokens", [
      ["Time", (entry) => time(instant(entry, "at"))], ["Plugin", (entry) => pluginLink(entry.plugin)],
      ["Message", (entry) => entry.message],
    ], tokens.entries.toReversed(), { key: (entry) => entry.number, empty: "none" })),
    el("p", { class: "note", key: "command" }, "Tokens are secrets. On a terminal: ",
      el("code", {}, command("push", "token", "PLUGIN"))),
  ].filter(Boolean);
}
