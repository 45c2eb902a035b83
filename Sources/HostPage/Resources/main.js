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
import * as whatif from "./screen-whatif.js";
import { session, shareToken, takeToken } from "./session.js";
import { clockText, setHostZone, startClock, zoneText } from "./times.js";

const SCREENS = { now, plugins, plugin, task, journal, launch, timeline, transfers, pushes, whatif };
const TABS = [
  ["now", "Now"], ["plugins", "Plugins"], ["task", "Task"], ["journal", "Journal"], ["timeline", "Timeline"],
  ["transfers", "Transfers"], ["pushes", "Pushes"], ["whatif", "What-if"],
];
/** Milliseconds between two updates: entries come in bursts. */
const UPDATE_PAUSE = 400;
/** Milliseconds between two updates of running work, whose progress is in no entry. */
const PROGRESS_PAUSE = 2000;
/** Milliseconds after a load that no host has answered. */
const FAILURE_PAUSE = 2000;
/** Milliseconds between two drawings of a moving screen. */
const MOVE_PAUSE = 2000;
/** The pause after a drawing, as a multiple of its time; that after a load is as long as the load. */
const REST = 10;

const content = document.getElementById("content");
let shown;
let updating;
let timer;
let updatePause = UPDATE_PAUSE;
/** Draws a screen again that shows time as a distance, without a load. */
let moving;
/** Time of the first call without an answer; undefined while the host answers. */
let goneSince;

/** Loads and draws the present place. The data of a place that was left meanwhile is not drawn. */
async function show({ isNew = false } = {}) {
  clearTimeout(timer);
  timer = undefined;
  if (isNew) {
    updating?.abort();
    clearInterval(moving);
    updatePause = UPDATE_PAUSE;
  } else if (updating) {
    return later();
  }
  const here = place();
  const screen = SCREENS[here.screen] ?? now;
  const control = new AbortController();
  updating = control;
  const begin = performance.now();
  try {
    const data = await screen.load(here, control.signal);
    if (control.signal.aborted) return;
    const start = performance.now();
    draw(screen, data, here);
    const rest = (performance.now() - start) * REST;
    updatePause = Math.max(screen.pause ?? UPDATE_PAUSE, start - begin, rest);
    if (screen.isBusy?.(data)) later(Math.max(PROGRESS_PAUSE, updatePause));
    if (screen.isMoving) move(screen, data, here, Math.max(MOVE_PAUSE, rest));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (isNew || !error.isGone) drawFailure(error, screen, here);
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

/** Draws the same data at the present time, until the next load. */
function move(screen, data, here, pause) {
  clearInterval(moving);
  moving = setInterval(() => document.hidden || draw(screen, data, here), pause);
}

/** Shows a failure. The fields of a screen stay, so that a refused value can be corrected. */
function drawFailure(error, screen, here) {
  clearInterval(moving);
  const fields = screen?.fields?.(here);
  const title = fields ? screen.title(here) : failureTitle(error);
  document.title = `${title} – bgtask`;
  patch(content, [
    el("h1", { key: "title" }, title), ...(fields ?? []),
    el("div", { key: "failure", role: "alert" }, fields ? el("h2", {}, failureTitle(error)) : "",
      el("p", { class: "failure" }, error.message), error.remedy ? el("p", {}, error.remedy) : ""),
  ]);
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

/** Shows the place of the address. The address may have a new token: the file of bgtask page was opened again here. */
function go() {
  if (takeToken()) return location.reload();
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
  if (state !== "live") return;
  hideNotice();
  readZone();
}

/** Reads the time zone of a host that is live: another host may answer than before. */
async function readZone() {
  const host = await get("/v1/host").catch(() => undefined);
  if (!host || !setHostZone(host.time_zone)) return;
  drawFooter();
  later();
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
    el("span", {}, session.remote_host ? `the host is on ${session.remote_host}` : ""),
    el("span", {}, session.read_only ? "read-only: actions show their command, and do nothing" : ""),
  ]);
}

/** Reads what bgtask page reports about itself, again until it answers. */
async function begin() {
  for (;;) {
    try {
      Object.assign(session, await get("/session"));
      return;
    } catch (error) {
      drawFailure(error);
      if (takeToken()) continue;
      await new Promise((resolve) => setTimeout(resolve, FAILURE_PAUSE));
    }
  }
}

/** A hidden tab calls nothing, also not the rest of a load that has begun. */
function showVisibility() {
  if (document.hidden) updating?.abort();
  else later(0);
}

async function start() {
  takeToken();
  await shareToken();
  await begin();
  drawFooter();
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    content.focus();
  });
  addEventListener("hashchange", go);
  addEventListener("keydown", press);
  live.onEntry(() => later());
  live.onState(showState);
  document.addEventListener("visibilitychange", showVisibility);
  startClock();
  go();
  live.start();
}

start();
