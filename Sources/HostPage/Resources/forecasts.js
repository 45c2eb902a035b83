// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Forecasts of the host. It computes one at a time, so that an answer is used again for some seconds.

import { post } from "./api.js";

/** Milliseconds in which an answer is used again. */
const FRESH = 15_000;
/** Forecasts that stay: that of the present, and that of the newest changes. */
const KEPT = 4;

const known = new Map();

/**
 * The forecast for the next `span` milliseconds. A host that is busy with another forecast leaves the last one.
 *
 * `changes` may have `plugin`, `conditions` and `policies`, as in an order of `POST /v1/forecast`.
 */
export async function forecastFor(span, changes, signal) {
  const key = JSON.stringify([span, changes]);
  const last = known.get(key);
  if (last && Date.now() - last.at < FRESH) return last.forecast;
  const until = new Date(Date.now() + span).toISOString();
  try {
    const forecast = await post("/v1/forecast", { ...changes, until, limit: 1000 }, signal);
    remember(key, forecast);
    return forecast;
  } catch (error) {
    if (last && error.status === 503) return last.forecast;
    throw error;
  }
}

function remember(key, forecast) {
  known.delete(key);
  known.set(key, { at: Date.now(), forecast });
  for (const oldest of [...known.keys()].slice(0, -KEPT)) known.delete(oldest);
}

/** The sentence about a forecast without its end or without all its launches; undefined for a whole one. */
export function partText({ complete, cut, launches, launch_count: count }) {
  if (!complete) return `The forecast is not complete: ${cut?.message ?? "its bound is reached"}.`;
  if (count > launches.length) return `${count - launches.length} later launches are not shown.`;
  return undefined;
}
