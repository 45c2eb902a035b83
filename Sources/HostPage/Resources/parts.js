// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Parts that several screens show.

import { el, link } from "./dom.js";
import { address, refine } from "./places.js";
import { countdown, durationText, instant, time } from "./times.js";

export const taskLink = (identifier) => link(address("task", identifier), identifier);
export const pluginLink = (identifier) => link(address("plugin", identifier), identifier);
export const launchLink = (number) => link(address("launch", number), `launch ${number}`);

/** The name of a running task or of an event. */
export function workName(item) {
  return item.identifier ? taskLink(item.identifier) : el("span", {}, item.event_name ?? "event");
}

const BAD = new Set([
  "failed", "overran", "crashed", "exited", "killed-for-memory", "entry-failed", "load-failed", "abandoned", "failing",
  "disabled", "lost", "no-progress", "not-registered", "refused", "error", "violation", "denied",
]);
const GOOD = new Set(["succeeded", "completed", "ready", "no-data", "finished"]);
const BUSY = new Set(["running", "launched", "expiring"]);

/** A word with the colour of its meaning; the word itself stays readable without colours. */
export function badge(word) {
  if (!word) return undefined;
  const plain = String(word).replace(/^launch-/, "");
  const tone = BAD.has(plain) ? "bad" : GOOD.has(plain) ? "good" : BUSY.has(plain) ? "busy" : "plain";
  return el("span", { class: `badge ${tone}` }, word);
}

/** A table. `columns` are pairs of a title and a function of a row; `key` names a row for updates. */
export function table(label, columns, rows, { key, empty = "none", rowClass } = {}) {
  if (rows.length === 0) return el("p", { class: "empty" }, empty);
  // The roles are explicit: the layout of a narrow window would remove them.
  const head = el("tr", { role: "row" },
    columns.map(([title]) => el("th", { scope: "col", role: "columnheader" }, title || hidden("Actions"))));
  const body = rows.map((row, index) => el(
    "tr",
    { key: key ? key(row) : index, class: rowClass?.(row), role: "row" },
    columns.map(([title, cell]) => el("td", { "data-title": title, role: "cell" }, cell(row) ?? "")),
  ));
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label },
    el("table", { "aria-label": label, role: "table" }, el("thead", { role: "rowgroup" }, head),
      el("tbody", { role: "rowgroup" }, body)));
}

/** A text only for assistive programs. */
const hidden = (text) => el("span", { class: "hidden" }, text);

/** A section with a heading, and an anchor for assistive programs. */
export function section(title, ...children) {
  const id = `section-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return el("section", { "aria-labelledby": id, key: id }, el("h2", { id }, title), ...children);
}

/** Pairs of a name and a value. */
export function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== "").map(
    ([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)),
  ));
}

/** The used share of the budget of a running task, or its progress. */
export function usageBar(task) {
  if (task.progress) {
    const { done, total } = task.progress;
    if (total === undefined) return el("span", {}, `${done}`);
    return bar(Number(done) / Number(total), `${done} of ${total}`, "progress of the task");
  }
  const used = durationText(task.used_ns);
  if (task.budget_ns === undefined) return el("span", {}, used);
  const share = Number(task.used_ns) / Number(task.budget_ns);
  return bar(share, `${used} of ${durationText(task.budget_ns)}`, "used budget", share > 0.8 ? "late" : "");
}

export function bar(share, text, label, tone = "") {
  const value = Math.max(0, Math.min(1, Number.isFinite(share) ? share : 0));
  return el("span", { class: `bar ${tone}` },
    el("progress", { max: 1, value: value.toFixed(3), "aria-label": `${label}: ${text}` }), el("span", {}, text));
}

/** A reason that blocks work: its message, its end and its remedy. */
export function reasonText(reason) {
  if (!reason) return el("span", {}, "eligible");
  const until = instant(reason, "until");
  return el("span", { class: "reason" },
    link(address("now", undefined, { reason: reason.code }), reason.code), " ",
    el("span", {}, reason.message),
    until === undefined ? undefined : [" until ", time(until), " (", countdown(until), ")"]);
}

/** The filters of a screen. They apply when they change: nothing is sent. */
export function filterForm(...fields) {
  const on = { submit: (event) => event.preventDefault() };
  return el("form", { class: "filters", role: "search", key: "filters", on }, ...fields);
}

/** A field of a filter, whose value is in the address. */
export function textFilter(name, label, filters, list) {
  const id = `filter-${name}`;
  return el("label", { class: "filter", for: id }, `${label} `,
    el("input", {
      id, type: "search", value: filters[name] ?? "", list, autocomplete: "off", spellcheck: "false",
      on: { change: ({ target }) => refine({ [name]: target.value.trim() }) },
    }));
}

/** `all` is the text of the choice that does not filter; null for a field without it. */
export function choiceFilter(name, label, filters, choices, { all: text = "all" } = {}) {
  const id = `filter-${name}`;
  const all = choices.map((choice) => (Array.isArray(choice) ? choice : [choice, choice]));
  if (text !== null) all.unshift(["", text]);
  // An address may have a value that is no choice: the field shows what filters.
  const value = filters[name] ?? "";
  if (!all.some((choice) => choice[0] === value)) all.push([value, value]);
  return el("label", { class: "filter", for: id }, `${label} `,
    el("select", { id, on: { change: ({ target }) => refine({ [name]: target.value }) } },
      all.map(([each, word]) => el("option", { value: each, selected: each === value }, word))));
}

/** The text of a table without rows; of an incomplete list nothing is known about the other rows. */
export function emptyText(list, text) {
  return list.partial || list.next ? "none in the part of the list that was read" : text;
}

/** A note that a list is not complete, with the remedy. */
export function partialNote(list, remedy) {
  return list.partial || list.next ? el("p", { class: "note" }, `the list is not complete; ${remedy}`) : undefined;
}
