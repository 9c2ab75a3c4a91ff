// SPDX-License-Identifier: Apache-2.0
// Small helpers for elements. Text goes in as text: no value is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** The element with an id. */
export const $ = (id) => document.getElementById(id);

/** An element with properties (`class`, `on…`, attributes) and children (elements or texts). */
export function el(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** The same for elements of SVG. */
export function svg(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    const isState = key.startsWith("aria-");
    if (value === false && !isState) continue;
    if (isState) element.setAttribute(key, String(value));
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A number with its name. */
export function fact(value, name, isBad = false) {
  return el("div", { class: isBad ? "fact bad" : "fact" },
    el("b", {}, value), el("span", {}, name));
}

/** A table of headings and rows of cells; a cell is a text or `[text, class]`. */
export function table(headings, rows) {
  const cell = (name, content) => {
    const [inner, style] = Array.isArray(content) ? content : [content, undefined];
    return el(name, { class: style }, inner);
  };
  return el("table", { class: "list" },
    el("thead", {}, el("tr", {}, headings.map((heading) => cell("th", heading)))),
    el("tbody", {}, rows.map(({ style, cells }) =>
      el("tr", { class: style }, cells.map((content) => cell("td", content))))));
}

/** Shows a failure for a while. */
export function notice(error) {
  const text = error.remedy ? `${error.message} ${error.remedy}` : error.message;
  const box = el("div", {}, text);
  $("notices").append(box);
  setTimeout(() => box.remove(), 9000);
}

/** Runs an action of the person; a failure is shown and not thrown. */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    notice(error);
    return undefined;
  }
}

/** A number with separators of thousands. */
export const grouped = (number) => number.toLocaleString("en-US");
