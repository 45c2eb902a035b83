// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The actions of the screens: what each one calls, the command that does the same, and its answer as text.

import { path, post, remove } from "./api.js";
import { command } from "./session.js";

const numbers = (list) => list.map((number) => `launch ${number}`).join(", ");

export function runItem(identifier) {
  return {
    label: identifier,
    command: command("run", identifier),
    call: async () => {
      const answer = await post("/v1/run", { identifiers: [identifier] });
      if (answer.launching.length > 0) return `starts in ${numbers(answer.launching)}`;
      return `waits: ${(answer.waiting ?? []).map((reason) => reason.message).join("; ") || "capacity"}`;
    },
  };
}

export function stopItem(identifier) {
  return {
    label: identifier,
    command: command("task", "stop", identifier),
    call: async () => {
      const answer = await post(path("/v1/tasks/{identifier}/stop", identifier));
      return answer.cancelled ? "cancelled" : `stopping in launch ${answer.launch}`;
    },
  };
}

export function cancelItem(identifier) {
  return {
    label: identifier,
    command: command("task", "cancel", identifier),
    call: async () => {
      const answer = await remove(path("/v1/tasks/{identifier}", identifier));
      return answer.cancelled ? "cancelled" : "no request was pending";
    },
  };
}

export function retryItem(identifier) {
  return {
    label: identifier,
    command: command("task", "retry", identifier),
    call: async () => {
      const answer = await post(path("/v1/tasks/{identifier}/retry", identifier));
      return `submission ${answer.submission}${answer.replaced ? `, replaces ${answer.replaced}` : ""}`;
    },
  };
}

export function clearCursorItem(identifier) {
  return {
    label: identifier,
    command: command("task", "cursor", identifier, "--clear"),
    call: async () => {
      await remove(path("/v1/tasks/{identifier}/cursor", identifier));
      return "the next run begins from the start";
    },
  };
}

export function stopLaunchItem(number) {
  return {
    label: `launch ${number}`,
    command: command("launch", "stop", number),
    call: async () => {
      await post(path("/v1/launches/{number}/stop", number));
      return "stopping";
    },
  };
}

/** Pauses a plugin for some hours, or until it is resumed without `hours`. */
export function pauseItem(plugin, hours) {
  const duration = hours === undefined ? [] : ["--for", `${hours}h`];
  return {
    label: plugin,
    command: command("plugin", "pause", plugin, ...duration),
    call: async () => {
      const until = hours === undefined ? undefined : new Date(Date.now() + hours * 3600e3).toISOString();
      await post(path("/v1/plugins/{identifier}/pause", plugin), until ? { until } : {});
      return "paused";
    },
  };
}

export function resumeItem(plugin) {
  return {
    label: plugin,
    command: command("plugin", "resume", plugin),
    call: async () => {
      const answer = await post(path("/v1/plugins/{identifier}/resume", plugin));
      return answer.was_paused ? "resumed" : "was not paused";
    },
  };
}

export function pauseTransferItem(number) {
  return {
    label: `transfer ${number}`,
    command: command("transfer", "pause", number),
    call: async () => {
      const answer = await post(path("/v1/transfers/{number}/pause", number));
      return answer.paused ? "paused" : "not paused";
    },
  };
}

export function resumeTransferItem(number) {
  return {
    label: `transfer ${number}`,
    command: command("transfer", "resume", number),
    call: async () => {
      await post(path("/v1/transfers/{number}/resume", number));
      return "resumed";
    },
  };
}

export function cancelTransferItem(number) {
  return {
    label: `transfer ${number}`,
    command: command("transfer", "cancel", number),
    call: async () => {
      const answer = await post(path("/v1/transfers/{number}/cancel", number));
      return answer.cancelled ? "cancelled" : "had ended before";
    },
  };
}
