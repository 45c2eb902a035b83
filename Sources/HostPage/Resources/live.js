// Part of bgtask, under the Apache License 2.0; see LICENSE.

// New journal entries for all tabs of this browser, over one connection.
//
// The visible tab with the lock reads the stream and sends its lines to the others. A hidden tab gives the lock up and
// calls nothing. An entry only signals that a screen has to load again.

import { CallError, follow, get } from "./api.js";

const LOCK = "bgtask-journal";
const LONGEST_PAUSE = 5000;
/** Milliseconds between two checks that the host answers. */
const CHECK_PAUSE = 10_000;

const receivers = new Set();
const watchers = new Set();
const channel = new BroadcastChannel(LOCK);
let state = "connecting";

/** Calls `receive` with each new entry, and without one when the stream begins. */
export function onEntry(receive) {
  receivers.add(receive);
}

/** Calls `watch` with the state, `live`, `gone` or `hidden`, and the error of `gone`. */
export function onState(watch) {
  watchers.add(watch);
  watch(state);
}

export function isGone() {
  return state === "gone";
}

export function start() {
  channel.onmessage = ({ data }) => take(data);
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : run()));
  if (!document.hidden) run();
}

let running;

function stop() {
  running?.abort();
  running = undefined;
  report("hidden");
}

function run() {
  if (running) return;
  running = new AbortController();
  const { signal } = running;
  begin(signal).then(() => report("live")).catch((error) => signal.aborted || report("gone", error));
  navigator.locks.request(LOCK, { signal }, () => lead(signal)).catch(() => {});
}

/** Reads the stream until the tab is hidden. A host that has ended or hangs is called again, with a growing pause. */
async function lead(signal) {
  let pause = 500;
  while (!signal.aborted) {
    const attempt = new AbortController();
    const either = AbortSignal.any([signal, attempt.signal]);
    let lost;
    checkHost(either, (error) => {
      lost = error;
      attempt.abort();
    });
    try {
      const after = await begin(either);
      await follow("/v1/journal", { after }, either, (entry) => {
        pause = 500;
        share(entry);
      }, () => say({ state: "live" }));
      say({ state: "gone", message: "the host has ended" });
    } catch (error) {
      if (signal.aborted) return;
      const { message, remedy } = lost ?? error;
      say({ state: "gone", message, remedy });
    } finally {
      attempt.abort();
    }
    await sleep(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** Calls the host while its stream is open: a stream without entries looks the same when the host hangs. */
async function checkHost(signal, lost) {
  for (;;) {
    await sleep(CHECK_PAUSE);
    if (signal.aborted) return;
    try {
      await get("/v1/host", {}, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error.isGone) return lost(error);
    }
  }
}

const sleep = (pause) => new Promise((resolve) => setTimeout(resolve, pause));

/**
 * Reloads the screen, and returns the number of the newest entry. Missed entries are not read: the screen has their
 * effect. The number may be lower than before: a restored ledger repeats numbers.
 */
async function begin(signal) {
  const page = await get("/v1/journal", { limit: 1 }, signal);
  deliver();
  return page.entries.at(-1)?.number ?? page.last ?? 0;
}

function share(entry) {
  take({ entry });
  channel.postMessage({ entry });
}

function say(message) {
  take(message);
  channel.postMessage(message);
}

function take({ entry, state, message, remedy }) {
  if (document.hidden) return;
  if (state) return report(state, message && new CallError(message, { isGone: true, remedy }));
  deliver(entry);
}

function deliver(entry) {
  for (const receive of receivers) receive(entry);
}

function report(next, error) {
  if (next === state && next !== "gone") return;
  state = next;
  for (const watch of watchers) watch(state, error);
}
