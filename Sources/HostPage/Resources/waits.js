// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The waits of a submission as bars on a common axis of time.

import { el, svg } from "./dom.js";
import { clockText, instant } from "./times.js";

const WIDTH = 1000;
const ROW = 22;
const TEXT = 180;

export function waitBars(history) {
  const end = (wait) => instant(wait, "until") ?? Date.now();
  const first = Math.min(...history.map((wait) => instant(wait, "since")));
  const last = Math.max(...history.map(end), first + 1);
  const codes = [...new Set(history.map(({ code }) => code))];
  const place = (moment) => TEXT + (moment - first) / (last - first) * (WIDTH - TEXT);
  const height = codes.length * ROW + ROW;
  return el("div", { class: "drawing" }, svg("svg", {
    viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": "Waits by reason; the table has the same times",
  },
  codes.map((code, index) => svg("text", { x: 0, y: index * ROW + 15 }, code)),
  history.map((wait) => svg("rect", {
    x: place(instant(wait, "since")).toFixed(1), y: codes.indexOf(wait.code) * ROW + 3, height: ROW - 6,
    width: Math.max(2, place(end(wait)) - place(instant(wait, "since"))).toFixed(1),
  }, svg("title", {}, `${wait.code} since ${clockText(instant(wait, "since"))}`))),
  svg("text", { x: TEXT, y: height - 4 }, clockText(first)),
  svg("text", { x: WIDTH, y: height - 4, "text-anchor": "end" }, clockText(last))));
}
