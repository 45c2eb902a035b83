// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Shows the screen of the address, and renews it when the journal has new entries.

import { get } from "./api.js";
import { el, patch } from "./dom.js";
import * as live from "./live.js";
import { address, place } from "./places.js";
import * as journal from "./screen-journal.js";
import * as launch from "./screen-launch.js";
import * as now from "./screen-now.js";
import * as plugin from "./screen-plugin.js";
import * as plugins from "./screen-plugins.js";
import * as pushes from "./screen-pushes.js";
import * as task from "./screen-task.js";
import * as timeline from "./screen-timeline.js";
import * as transfers from "./screen-transfers.js";
import { session, shareToken, takeToken } from "./session.js";
import { clockText, startClock, zoneText } from "./times.js";

const SCREENS = { now, plugins, plugin, task, journal, launch, timeline, transfers, pushes };
const TABS = [
  ["now", "Now"], ["plugins", "Plugins"], ["task", "Task"], ["journal", "Journal"], ["timeline", "Timeline"],
  ["transfers", "Transfers"], ["pushes", "Pushes"],
];
/** Milliseconds between two updates: entries come in bursts. */
const UPDATE_PAUSE = 400;
/** Milliseconds between two updates of running work, whose progress is in no entry. */
const PROGRESS_PAUSE = 2000;
/** Milliseconds after a load that no host has answered. */
const FAILURE_PAUSE = 2000;
/** The pause after a drawing, as a multiple of its time. */
const REST = 10;

const content = document.getElementById("content");
let shown;
let updating;
let timer;
let updatePause = UPDATE_PAUSE;
/** Time of the first call without an answer; undefined while the host answers. */
let goneSince;

/** Loads and draws the present place. The data of a place that was left meanwhile is not drawn. */
async function show({ isNew = false } = {}) {
  clearTimeout(timer);
  timer = undefined;
  if (isNew) updating?.abort();
  else if (updating) return later();
  const here = place();
  const screen = SCREENS[here.screen] ?? now;
  const control = new AbortController();
  updating = control;
  try {
    const data = await screen.load(here, control.signal);
    if (control.signal.aborted) return;
    const start = performance.now();
    draw(screen, data, here);
    updatePause = Math.max(UPDATE_PAUSE, (performance.now() - start) * REST);
    if (screen.isBusy?.(data)) later(PROGRESS_PAUSE);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (isNew || !error.isGone) drawFailure(error);
    if (error.isGone) later(FAILURE_PAUSE);
  } finally {
    if (updating === control) updating = undefined;
  }
}

function draw(screen, data, here) {
  const title = screen.title(here, data);
  document.title = `${title} – bgtask`;
  patch(content, [el("h1", { key: "title" }, title), ...screen.draw(data, here, { update: () => later(0) })]);
  content.setAttribute("aria-busy", "false");
}

function drawFailure(error) {
  patch(content, [
    el("h1", { key: "title" }, failureTitle(error)), el("p", { class: "failure" }, error.message),
    error.remedy ? el("p", {}, error.remedy) : "",
  ].filter(Boolean));
  content.setAttribute("aria-busy", "false");
}

function failureTitle(error) {
  if (error.isGone) return "No answer";
  if (error.status === 404) return "Not found";
  return error.status ? "Refused" : "Error of this page";
}

/** Renews the screen soon, once for all entries until then. */
function later(pause = updatePause) {
  if (timer !== undefined && pause >= UPDATE_PAUSE) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    timer = undefined;
    if (!document.hidden) show();
  }, pause);
}

function go() {
  drawTabs();
  content.setAttribute("aria-busy", "true");
  const isSamePlace = shown === place().screen + place().value;
  shown = place().screen + place().value;
  show({ isNew: true }).then(() => {
    if (!isSamePlace && !content.contains(document.activeElement)) content.focus({ preventScroll: true });
  });
}

function drawTabs() {
  const { screen } = place();
  const current = { plugin: "plugins", launch: "journal" }[screen] ?? screen;
  patch(document.getElementById("screens"), TABS.map(([name, text], index) => el("a", {
    href: address(name), key: name, "aria-current": name === current ? "page" : undefined, title: `key ${index + 1}`,
  }, text)));
}

/** Keys 1 to 9 choose a screen, `/` the first filter. Keys in fields keep their meaning. */
function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.nodeName) || document.querySelector("dialog[open]")) return;
  const tab = TABS[Number(event.key) - 1];
  if (tab) location.hash = address(tab[0]);
  if (event.key !== "/") return;
  event.preventDefault();
  content.querySelector("input[type=search]")?.focus();
}

/** Shows whether the page is live, and since when the host is gone. */
function showState(state, error) {
  const texts = { live: "live", gone: "host gone", connecting: "connecting", hidden: "not updated while hidden" };
  const element = document.getElementById("link");
  element.className = state;
  if (element.textContent !== texts[state]) element.textContent = texts[state];
  if (state === "gone") showNotice(error);
  if (state === "live") hideNotice();
}

/** Shows since when no host answers, and the newest cause. */
function showNotice(error) {
  goneSince ??= clockText(Date.now());
  const notice = document.getElementById("notice");
  patch(notice, [
    el("strong", {}, `No answer since ${goneSince}: `), el("span", {}, error?.message ?? ""),
    el("span", {}, error?.remedy ? `; ${error.remedy}` : ""),
    el("span", {}, ". The page shows the last state, and calls again."),
  ]);
  notice.hidden = false;
}

function hideNotice() {
  if (goneSince === undefined) return;
  goneSince = undefined;
  document.getElementById("notice").hidden = true;
  later(0);
}

function drawFooter() {
  patch(document.getElementById("footer"), [
    el("span", {}, zoneText()),
    el("span", {}, `bgtask ${session.version}`),
    el("span", {}, session.read_only ? "read-only: actions show their command, and do nothing" : ""),
  ]);
}

async function start() {
  takeToken();
  await shareToken();
  try {
    Object.assign(session, await get("/session"));
  } catch (error) {
    drawFailure(error);
    return;
  }
  drawFooter();
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    content.focus();
  });
  addEventListener("hashchange", go);
  addEventListener("keydown", press);
  live.onEntry(() => later());
  live.onState(showState);
  document.addEventListener("visibilitychange", () => document.hidden || later(0));
  startClock();
  go();
  live.start();
}

start();
