// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Compares two forecasts, without the document.

import { instant } from "./times.js";

/** Milliseconds by which two forecasts of the same start may differ: they are computed one after the other. */
const TOLERANCE = 2000;

/** The tasks of both forecasts with their first future start in each, those with a difference first. */
export function compared(present, changed) {
  const [one, other] = [starts(present), starts(changed)];
  const rows = [...new Set([...one.keys(), ...other.keys()])].map((key) => {
    const [before, after] = [one.get(key), other.get(key)];
    const row = {
      ...(after ?? before), key, present: before?.first, changed: after?.first,
      presentCount: before?.count ?? 0, changedCount: after?.count ?? 0,
    };
    return { ...row, isOther: isOther(row) };
  });
  const first = (row) => Math.min(row.changed ?? Infinity, row.present ?? Infinity);
  return rows.sort((left, right) => right.isOther - left.isOther || first(left) - first(right));
}

function isOther({ present, changed, presentCount, changedCount }) {
  if (present === undefined || changed === undefined || presentCount !== changedCount) return true;
  return Math.abs(present - changed) > TOLERANCE;
}

/** The first future start and the number of launches of each task of a forecast. */
function starts({ launches }) {
  const found = new Map();
  for (const launch of launches) {
    if (launch.launch !== undefined) continue;
    for (const { identifier, event_name: name, kind } of launch.tasks) {
      const key = `${launch.plugin} ${identifier ?? name} ${kind}`;
      const known = found.get(key);
      const first = instant(launch, "begins_at");
      if (known) known.count += 1;
      else found.set(key, { plugin: launch.plugin, identifier, name, kind, first, count: 1 });
    }
  }
  return found;
}
