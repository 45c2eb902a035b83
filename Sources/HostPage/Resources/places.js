// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Places of this page: `#/screen/value?filter=value`. Everything that a user selects is in the address.

/** The screen, the value and the filters of an address. */
export function place(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [screen, value] = path.split("/");
  return {
    screen: screen || "now",
    value: value === undefined ? undefined : decoded(value),
    filters: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a place. */
export function address(screen, value, filters = {}) {
  const query = new URLSearchParams(Object.entries(filters).filter(([, text]) => text !== undefined && text !== ""));
  const path = value === undefined ? screen : `${screen}/${encodeURIComponent(value)}`;
  return `#/${path}${query.size > 0 ? `?${query}` : ""}`;
}

/** Changes filters of the present place without a step in the history for each letter. */
export function refine(changes, { isStep = true } = {}) {
  const { screen, value, filters } = place();
  // A page of older entries belongs to the former filters.
  const next = address(screen, value, { ...filters, before: undefined, ...changes });
  if (next === location.hash) return;
  if (isStep) {
    location.hash = next;
  } else {
    history.replaceState(null, "", next);
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
}
