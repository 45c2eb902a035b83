// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Tables of launches and of log lines.

import { el } from "./dom.js";
import { badge, bar, launchLink, pluginLink, table, workName } from "./parts.js";
import { durationText, instant, time } from "./times.js";

export function launchTable(launches, { hasPlugin = true } = {}) {
  const columns = [
    ["Launch", (launch) => launchLink(launch.launch)],
    ["Plugin", (launch) => pluginLink(launch.plugin)],
    ["Cause", (launch) => launch.cause],
    ["Started", (launch) => time(instant(launch, "started_at"))],
    ["Used", usedText],
    ["Outcome", (launch) => [badge(launch.outcome ?? "running"),
      launch.worst_outcome && launch.worst_outcome !== "succeeded" ? badge(launch.worst_outcome) : "",
      launch.blame && launch.blame !== "nobody" ? el("span", { class: "note" }, ` blame: ${launch.blame}`) : ""]],
    ["Tasks", (launch) => el("ul", { class: "plain" }, launch.tasks.slice(0, 5).map((task) =>
      el("li", {}, workName(task), " ", badge(task.outcome))))],
  ];
  return table("Launches", columns.filter(([name]) => hasPlugin || name !== "Plugin"), launches,
    { key: (launch) => launch.launch, empty: "no launch is in the journal" });
}

export function usedText(launch) {
  if (launch.used_ns === undefined) return "–";
  const used = durationText(launch.used_ns);
  if (launch.budget_ns === undefined) return used;
  const share = Number(launch.used_ns) / Number(launch.budget_ns);
  return bar(share, `${used} of ${durationText(launch.budget_ns)}`, "used budget", share > 1 ? "late" : "");
}

/** Log lines, oldest first, as text. */
export function logList(lines) {
  if (lines.length === 0) return el("p", { class: "empty" }, "no line");
  return el("ol", { class: "log", tabindex: 0, "aria-label": "Log lines" }, lines.map((line) => el("li", {
    key: `${line.launch}-${line.number}-${line.at_ns}`, class: line.level,
  }, time(instant(line, "at")), " ", el("span", { class: "level" }, line.level), " ", el("span", {}, line.text))));
}
