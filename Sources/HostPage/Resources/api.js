// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Calls of the control API through bgtask page.

import { provenToken, token } from "./session.js";

/** A call that was not successful. `isGone` when no host, or no bgtask page, has answered. */
export class CallError extends Error {
  constructor(message, { status = 0, remedy, isGone = false } = {}) {
    super(message);
    Object.assign(this, { status, remedy, isGone });
  }
}

export const get = (path, query, signal) => call("GET", path, { query, signal });
export const post = (path, body, signal) => call("POST", path, { body, signal });
export const remove = (path) => call("DELETE", path);

/** The path of a route with a value in it. */
export function path(template, value) {
  return template.replace(/\{\w+\}/, encodeURIComponent(value));
}

/** Maximum number of waiting tasks of a screen, and of the pages that it reads for them. */
const TASKS = 1000;
const PAGES = 10;

/** A list of tasks from several pages: a page with a `next` may have few items or none. */
export async function getTasks(query, signal) {
  const tasks = await get("/v1/tasks", { ...query, limit: TASKS }, signal);
  for (let page = 1; tasks.next && page < PAGES && tasks.pending.length + tasks.events.length < TASKS; page += 1) {
    const more = await get("/v1/tasks", { ...query, limit: TASKS, after: tasks.next }, signal);
    // Work that starts or is requeued between two pages is on both: it keeps its first place.
    const listed = new Set([...tasks.running, ...tasks.pending, ...tasks.events].map((task) => task.submission));
    for (const part of ["running", "pending", "events"]) {
      tasks[part].push(...more[part].filter((task) => !listed.has(task.submission)));
    }
    tasks.next = more.next;
    tasks.partial ||= more.partial;
  }
  return tasks;
}

/** Milliseconds for one call: a host that takes longer hangs. Streams have no limit. */
const LIMIT = 15_000;

async function call(method, path, { query, body, signal } = {}) {
  const limit = AbortSignal.timeout(LIMIT);
  try {
    const answer = await open(method, path, { query, body, signal: signal ? AbortSignal.any([signal, limit]) : limit });
    return parse(await answer.text().catch(broken));
  } catch (error) {
    if (!limit.aborted || error instanceof CallError) throw error;
    throw new CallError(`the host has not answered within ${LIMIT / 1000} s`, { isGone: true });
  }
}

async function open(method, path, { query = {}, body, signal } = {}) {
  const used = token();
  const headers = { authorization: `Bearer ${used}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path + queryText(query), {
      method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store",
    });
  } catch (error) {
    if (isAborted(error)) throw error;
    throw new CallError("bgtask page has ended", {
      isGone: true, remedy: "start it again on the terminal with: bgtask page",
    });
  }
  if (answer.ok) {
    provenToken(used);
    return answer;
  }
  throw await failure(answer);
}

/** Reports an answer that the host has not completed as a lost host. */
function broken(error) {
  if (isAborted(error)) throw error;
  throw new CallError("the host has ended within its answer", { isGone: true });
}

const isAborted = (error) => error.name === "AbortError" || error.name === "TimeoutError";

async function failure(answer) {
  const text = await answer.text().catch(broken);
  let error = {};
  try {
    error = parse(text).error ?? {};
  } catch { /* Not an answer of this API: only its status is known. */ }
  return new CallError(error.message ?? `status ${answer.status}`, {
    status: answer.status, remedy: error.remedy, isGone: answer.status === 502,
  });
}

/** The query of an address; spaces are `%20`, because the host reads a plus sign as itself. */
export function queryText(query) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== "" && value !== false);
  if (pairs.length === 0) return "";
  return "?" + pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/** Reads JSON. A whole number that JavaScript would round stays text. */
export function parse(text) {
  // Nearly no answer has such a number, and the search for one is faster than the replacement.
  if (!/[:[,\s]-?\d{16}/.test(text)) return JSON.parse(text);
  const exact = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (word) =>
    word.length > 15 && /^-?\d+$/.test(word) && !Number.isSafeInteger(Number(word)) ? `"${word}"` : word);
  return JSON.parse(exact);
}

/** Calls `receive` for each line of a stream; returns when the stream ends in order. */
export async function follow(path, query, signal, receive, opened = () => {}) {
  const answer = await open("GET", path, { query: { ...query, follow: "true" }, signal });
  opened();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (isAborted(error)) throw error;
      throw new CallError("the stream of the host has ended", { isGone: true });
    }
    if (part.done) return;
    const lines = (rest + part.value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line !== "") receive(parse(line));
  }
}
