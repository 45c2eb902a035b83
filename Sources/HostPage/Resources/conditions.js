// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The conditions of the machine as words.

import { el } from "./dom.js";

export const CONDITIONS = [
  ["external_power", "external power"], ["network", "network"], ["idle", "idle"], ["high_load", "high load"],
  ["low_memory", "low memory"], ["hot", "hot"], ["battery_low", "battery low"], ["power_saver", "power saver"],
  ["metered", "metered"], ["gpu", "GPU"],
];

/** A list with each condition, whether it holds, and its source. */
export function conditionList(conditions) {
  return el("ul", { class: "conditions", "aria-label": "Conditions" }, CONDITIONS.map(([name, text]) => {
    const { holds, source, detail } = conditions[name] ?? {};
    const word = holds === undefined ? "unknown" : holds ? "yes" : "no";
    return el("li", { key: name, class: holds ? "holds" : "lacks", title: [source, detail].filter(Boolean).join(": ") },
      `${text} `, el("strong", {}, word), source === "simulated" ? " (simulated)" : "");
  }));
}
