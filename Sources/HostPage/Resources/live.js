// Part of bgtask, under the Apache License 2.0; see LICENSE.

// New journal entries for all tabs of this browser, over one connection.
//
// The visible tab with the lock reads the stream and sends its lines to the others. A hidden tab gives the lock up and
// calls nothing. The number of each entry shows a gap, which a call for the entries after the last one fills.

import { CallError, follow, get } from "./api.js";

const LOCK = "bgtask-journal";
const LONGEST_PAUSE = 5000;

const receivers = new Set();
const watchers = new Set();
const channel = new BroadcastChannel(LOCK);
let last;
let state = "connecting";

/** Calls `receive` with each new entry. */
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
  catchUp(signal).catch(() => {});
  navigator.locks.request(LOCK, { signal }, () => lead(signal)).catch(() => {});
}

/** Reads the stream until the tab is hidden. A host that has ended is called again, with a growing pause. */
async function lead(signal) {
  let pause = 500;
  while (!signal.aborted) {
    try {
      await catchUp(signal);
      await follow("/v1/journal", { after: last }, signal, (entry) => {
        pause = 500;
        share(entry);
      }, () => say({ state: "live" }));
      say({ state: "gone", message: "the host has ended" });
    } catch (error) {
      if (signal.aborted) return;
      say({ state: "gone", message: error.message, remedy: error.remedy });
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** Gets the entries after the last known one. The first call only learns the newest number. */
async function catchUp(signal) {
  const isFirst = last === undefined;
  for (;;) {
    const page = await get("/v1/journal", isFirst ? { limit: 1 } : { after: last, limit: 1000 }, signal);
    if (page.last !== undefined && page.last < (last ?? 0)) last = page.last;
    if (isFirst) last = page.entries.at(-1)?.number ?? page.last ?? 0;
    else for (const entry of page.entries) take({ entry });
    if (isFirst || page.entries.length < 1000) break;
  }
  report("live");
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
  if (last !== undefined && entry.number <= last) return;
  if (last !== undefined && entry.number > last + 1 && running) {
    // Entries are missing, or were removed from the journal: the call decides.
    const { signal } = running;
    const before = last;
    last = entry.number;
    get("/v1/journal", { after: before, before: entry.number, limit: 1000 }, signal)
      .then((page) => page.entries.forEach(deliver)).catch(() => {});
  }
  last = entry.number;
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
