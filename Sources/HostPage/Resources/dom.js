// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Builds and updates the document. Data becomes text nodes and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Creates an element. `attributes` may have `on`, the handlers of events by their name, and `key`. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Creates an element of SVG. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** A link to a place of this page. Other addresses are not links here, so that data cannot become one. */
export function link(place, ...children) {
  return el("a", { href: place.startsWith("#/") ? place : "#/" }, ...children);
}

function filled(element, { on = {}, key, ...attributes }, children) {
  if (key !== undefined) element.key = String(key);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.handlers = on;
  for (const type of Object.keys(on)) element.addEventListener(type, handle);
  const isShown = (child) => child !== undefined && child !== null && child !== false;
  element.append(...children.flat(Infinity).filter(isShown));
  return element;
}

/** Calls the present handler: an update replaces handlers, and keeps the element with its focus. */
function handle(event) {
  event.currentTarget.handlers?.[event.type]?.(event);
}

/** Makes the children of `parent` equal to `fresh`, and keeps the elements that stay, with focus and scrolling. */
export function patch(parent, fresh) {
  const keyed = new Map();
  const wanted = new Set(fresh.map(({ key }) => key));
  for (const child of [...parent.childNodes]) {
    // An element that leaves before the others move keeps them in place: a moved element loses the focus.
    if (child.key !== undefined && !wanted.has(child.key)) child.remove();
    else if (child.key !== undefined) keyed.set(child.key, child);
  }
  let place = parent.firstChild;
  for (const node of fresh) {
    const match = node.key === undefined ? place : keyed.get(node.key);
    if (!match || !isAlike(match, node)) {
      parent.insertBefore(node, place);
      continue;
    }
    keyed.delete(node.key);
    update(match, node);
    if (match === place) place = place.nextSibling;
    else parent.insertBefore(match, place);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function isAlike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && one.key === other.key
    && sameEvents(one.handlers, other.handlers);
}

function sameEvents(one = {}, other = {}) {
  return Object.keys(one).join() === Object.keys(other).join();
}

function update(element, fresh) {
  if (element.nodeType === Node.TEXT_NODE) {
    if (element.data !== fresh.data) element.data = fresh.data;
    return;
  }
  element.handlers = fresh.handlers;
  for (const name of element.getAttributeNames()) {
    // The user opens a list of details, and the data does not.
    if (!fresh.hasAttribute(name) && name !== "open") element.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) {
    const value = fresh.getAttribute(name);
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  patch(element, [...fresh.childNodes]);
  updateField(element, fresh);
}

/** Updates the value of a field; not while the user types in it. */
function updateField(element, fresh) {
  if (!/^(INPUT|SELECT)$/.test(element.nodeName) || element === document.activeElement) return;
  if (element.value !== fresh.value) element.value = fresh.value;
  if (element.checked !== fresh.checked) element.checked = fresh.checked;
}
