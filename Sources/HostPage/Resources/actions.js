// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Buttons that change something. Each one first shows what it will do, item by item, and the command that does the
// same.

import { el } from "./dom.js";
import { session } from "./session.js";

const TITLES = ["Item", "The same command", "Answer"];

/**
 * A button for an action. `items` returns what the action is about when it is pressed: each item has a `label`, the
 * `command` that does the same, and `call`, which calls the host and returns the text of the answer.
 */
export function actionButton(title, items, { tone = "", isEnabled = true, done = () => {}, warning } = {}) {
  const example = items()[0]?.command;
  return el("button", {
    type: "button", class: tone, title: example, disabled: !isEnabled,
    on: { click: () => confirm(title, items(), { tone, done, warning }) },
  }, title);
}

function confirm(title, items, { tone, done, warning }) {
  const rows = items.map((item) => ({ item, answer: el("td", { class: "answer", "data-title": "Answer" }) }));
  const status = el("p", { role: "status", class: "note" }, summary(items.length));
  const run = el("button", {
    type: "button", class: `primary ${tone}`, disabled: session.read_only || items.length === 0,
    on: { click: () => perform(rows, { action, run, close, status, done }) },
  }, items.length > 1 ? `${title} (${items.length})` : title);
  const action = { isRunning: false, isStopped: false };
  const close = el("button", {
    type: "button", on: { click: () => (action.isRunning ? stop() : dialog.close()) },
  }, "Close");
  const stop = () => {
    action.isStopped = true;
    close.disabled = action.isRunning;
  };
  const on = {
    cancel: (event) => {
      if (action.isRunning) event.preventDefault();
      stop();
    },
    close: () => {
      stop();
      dialog.remove();
    },
  };
  const dialog = el("dialog", { "aria-label": title, class: "action", on },
    el("h2", {}, title),
    warning ? el("p", {}, warning) : undefined,
    el("div", { class: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, TITLES.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, rows.map(({ item, answer }) => el("tr", {},
        el("td", { "data-title": "Item" }, item.label),
        el("td", { "data-title": "The same command" }, el("code", {}, item.command)), answer))))),
    status,
    el("div", { class: "buttons" }, run,
      el("button", { type: "button", on: { click: () => copy(items, status) } }, "Copy the command"), close));
  document.body.append(dialog);
  dialog.showModal();
}

function summary(count) {
  if (count === 0) return "nothing is selected";
  return session.read_only ? "this page is read-only; use the command on a terminal" : "nothing has happened yet";
}

async function copy(items, status) {
  try {
    await navigator.clipboard.writeText(items.map(({ command }) => command).join("\n"));
    status.textContent = "copied";
  } catch {
    status.textContent = "the browser does not permit to copy; select the command";
  }
}

/**
 * Calls the host for one item after the other, so that each answer stands beside its item. Stops when the user closes
 * the dialog, and when no host answers: then the result of that item is unknown.
 */
async function perform(rows, { action, run, close, status, done }) {
  const counts = { done: 0, refused: 0, unknown: 0 };
  run.disabled = true;
  action.isRunning = true;
  close.textContent = "Stop after this item";
  for (const { item, answer } of rows) {
    if (action.isStopped) break;
    answer.textContent = "…";
    try {
      answer.textContent = await item.call();
      answer.className = "answer good";
      counts.done += 1;
    } catch (error) {
      answer.textContent = [error.message, error.remedy].filter(Boolean).join("; ");
      answer.className = "answer bad";
      counts[error.isGone ? "unknown" : "refused"] += 1;
      if (error.isGone) break;
    }
  }
  action.isRunning = false;
  close.textContent = "Close";
  close.disabled = false;
  status.textContent = resultText(counts, rows.length);
  done();
}

function resultText({ done, refused, unknown }, count) {
  if (done === count) return "done";
  const parts = [[done, "done"], [refused, "refused"], [unknown, "without an answer"],
    [count - done - refused - unknown, "not called"]];
  const texts = parts.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`);
  return `${texts.join(", ")} of ${count}`;
}
