// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Background transfers with their progress.

import { actionButton } from "./actions.js";
import { get } from "./api.js";
import { cancelTransferItem, pauseTransferItem, resumeTransferItem } from "./commands.js";
import { el } from "./dom.js";
import {
  badge, bar, choiceFilter, emptyText, filterForm, partialNote, pluginLink, section, table, taskLink, textFilter,
} from "./parts.js";
import { command } from "./session.js";
import { bytesText, instant, time } from "./times.js";

const LIMIT = 100;
const STATES = ["waiting", "running", "paused", "finished", "failed", "cancelled"];
const ENDS = new Set(["finished", "failed", "cancelled"]);

export const title = () => "Transfers";
export const isBusy = ({ transfers }) => transfers.some(({ state }) => state === "running");

export async function load({ filters }, signal) {
  const { plugin, session, state } = filters;
  return get("/v1/transfers", { plugin, session, state, limit: LIMIT }, signal);
}

export function draw(list, { filters }, { update }) {
  return [
    ...fields({ filters }),
    section("Transfers", bulkButtons(list.transfers, update), transferTable(list, update),
      partialNote(list, "filter by plugin, session or state to see the others")),
    el("p", { class: "note", key: "command" }, "On a terminal: ", el("code", {}, terminal(filters))),
  ];
}

export function fields({ filters }) {
  return [filterForm(
    textFilter("plugin", "Plugin", filters), textFilter("session", "Session", filters),
    choiceFilter("state", "State", filters, STATES))];
}

function transferTable(list, update) {
  return table("Transfers", [
    ["Transfer", (transfer) => [taskLink(transfer.identifier),
      transfer.label ? el("span", { class: "title" }, transfer.label) : "",
      el("span", { class: "note" }, transfer.url)]],
    ["Plugin", (transfer) => pluginLink(transfer.plugin)],
    ["Kind", (transfer) => [transfer.kind, el("span", { class: "title" }, `session ${transfer.session}`)]],
    ["State", (transfer) => [badge(transfer.state), faultText(transfer)]],
    ["Progress", progressBar],
    ["Begun", (transfer) => [time(instant(transfer, "begun_at")), instant(transfer, "ended_at")
      ? el("span", { class: "title" }, "ended ", time(instant(transfer, "ended_at"))) : ""]],
    ["", (transfer) => transferButtons(transfer, update)],
  ], list.transfers, { key: ({ transfer }) => transfer, empty: emptyText(list, "no transfer matches the filters") });
}

/** The fault of the last try or of the end, the status of the server and the message. */
function faultText({ fault, http_status: status, message }) {
  const text = [fault, status && `status ${status}`, message].filter(Boolean).join("; ");
  return text ? el("span", { class: "note" }, text) : "";
}

function progressBar({ bytes, total }) {
  if (total === undefined) return bytesText(bytes);
  const share = Number(total) === 0 ? 1 : Number(bytes) / Number(total);
  return bar(share, `${bytesText(bytes)} of ${bytesText(total)}`, "progress of the transfer");
}

function transferButtons({ transfer, state }, update) {
  if (ENDS.has(state)) return "";
  return [
    state === "paused"
      ? actionButton("Resume", () => [resumeTransferItem(transfer)], { done: update })
      : actionButton("Pause", () => [pauseTransferItem(transfer)], { done: update }),
    actionButton("Cancel", () => [cancelTransferItem(transfer)], {
      done: update, tone: "danger", warning: "The transfer ends for good, and its bytes are deleted.",
    }),
  ];
}

function bulkButtons(transfers, update) {
  const open = transfers.filter(({ state }) => !ENDS.has(state));
  const paused = open.filter(({ state }) => state === "paused");
  const others = open.filter(({ state }) => state !== "paused");
  if (open.length === 0) return undefined;
  const all = (list, item) => () => list.map(({ transfer }) => item(transfer));
  return el("div", { class: "buttons" },
    others.length > 0
      ? actionButton(`Pause all ${others.length} shown`, all(others, pauseTransferItem), { done: update }) : "",
    paused.length > 0
      ? actionButton(`Resume all ${paused.length} shown`, all(paused, resumeTransferItem), { done: update }) : "");
}

function terminal(filters) {
  const options = ["plugin", "session", "state"].filter((name) => filters[name])
    .flatMap((name) => [`--${name}`, filters[name]]);
  return command("transfer", "list", ...options);
}
