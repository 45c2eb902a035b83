// Part of bgtask, under the Apache License 2.0; see LICENSE.

// One launch: its batch, its end and its log.

import { actionButton } from "./actions.js";
import { get, path } from "./api.js";
import { stopLaunchItem } from "./commands.js";
import { el, link } from "./dom.js";
import { logList, usedText } from "./launches.js";
import { badge, facts, pluginLink, section, table, workName } from "./parts.js";
import { address } from "./places.js";
import { durationText, instant, time } from "./times.js";

export const title = ({ value }) => `Launch ${value}`;
export const isBusy = ({ launch }) => launch.outcome === undefined;

export async function load({ value }, signal) {
  const launch = await get(path("/v1/launches/{number}", value), {}, signal);
  const logs = await get("/v1/logs", { launch: value, limit: 200 }, signal).catch((error) => {
    if (error.name === "AbortError" || error.isGone) throw error;
    return { message: error.message };
  });
  return { launch, logs };
}

export function draw({ launch, logs }, _, { update }) {
  return [
    el("div", { class: "buttons", key: "buttons" }, launch.outcome === undefined
      ? actionButton("Stop", () => [stopLaunchItem(launch.launch)], { done: update }) : ""),
    section("State", facts([
      ["Outcome", [badge(launch.outcome ?? "running"), launch.message ? ` ${launch.message}` : ""]],
      ["Blame", launch.blame], ["Plugin", pluginLink(launch.plugin)], ["Lane", launch.lane], ["Cause", launch.cause],
      ["Process", launch.pid], ["Started", time(instant(launch, "started_at"))],
      ["Ended", instant(launch, "ended_at") && time(instant(launch, "ended_at"))], ["Used", usedText(launch)],
      ["Grace period", durationText(launch.grace_period_ns)],
      ["Open assertions", launch.assertions?.join(", ")],
    ])),
    section("Tasks", table("Tasks", [
      ["Task", workName], ["Kind", (task) => task.kind], ["Outcome", (task) => badge(task.outcome)],
      ["Message", (task) => task.message],
      ["Submitted", (task) => [time(instant(task, "submitted_at")), task.submitter ? ` by ${task.submitter}` : ""]],
    ], launch.tasks, { key: (task) => task.submission })),
    section("Log", logs.message ? el("p", { class: "empty" }, logs.message) : logList(logs.lines)),
    el("p", { class: "note", key: "entries" },
      link(address("journal", undefined, { launch: launch.launch }), "Entries of the journal")),
  ];
}
