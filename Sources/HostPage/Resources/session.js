// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The token of this session, and what bgtask page reports about itself.

const STORE = "bgtask-token";

/** The token with which the last call was successful: the only one that other tabs get. */
let proven;

/**
 * Takes the token from the address, where the file of bgtask page has put it, and removes it there. Returns whether
 * there was one.
 */
export function takeToken() {
  const match = /^#token=([0-9a-f]+)$/.exec(location.hash);
  if (!match) return false;
  sessionStorage.setItem(STORE, match[1]);
  history.replaceState(null, "", "#/now");
  return true;
}

export function provenToken(used) {
  proven = used;
}

export function token() {
  return sessionStorage.getItem(STORE) ?? "";
}

/** Gets the token from another tab of this page, and gives it to tabs that ask. Only tabs of this origin take part. */
export async function shareToken() {
  const channel = new BroadcastChannel("bgtask-token");
  if (!token()) {
    channel.postMessage("token?");
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
      channel.onmessage = ({ data }) => {
        if (typeof data.token !== "string") return;
        sessionStorage.setItem(STORE, data.token);
        resolve();
      };
    });
  }
  channel.onmessage = ({ data }) => {
    if (data === "token?" && token() && token() === proven) channel.postMessage({ token: token() });
  };
}

/** The answer of `/session`: `read_only`, `version`, `remote_host` and `host_options`. */
export const session = { read_only: true, version: "", host_options: "" };

/** The command that does the same on a terminal. */
export function command(...words) {
  const remote = session.remote_host ? ["-H", session.remote_host] : [];
  return ["bgtask", ...remote, ...words.map(quoted), session.host_options].filter((word) => word !== "").join(" ");
}

function quoted(word) {
  const text = String(word);
  return /^[\w./:,+@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
