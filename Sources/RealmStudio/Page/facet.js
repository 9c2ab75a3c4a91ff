// SPDX-License-Identifier: Apache-2.0
// The facet of a property: how many objects have each of its most frequent values.

import { condition } from "./conditions.js";
import { $, el, grouped } from "./dom.js";
import { text } from "./values.js";

/** Draws the facet; `onValue(condition)` is called with the condition of a value, `onClose()` to
 *  end. */
export function drawFacet(property, data, onValue, onClose) {
  const most = Math.max(...data.values.map((one) => one.count), 1);
  const lines = data.values.map(({ value, count }) => {
    const found = condition(property, value);
    return el("li", {}, el("button", {
      class: "facet", disabled: !found, title: found ? "Only the objects with this value" : null,
      "aria-label": `${grouped(count)} objects`, onclick: () => onValue(found),
    }, el("span", { class: "share", style: `width: ${(count / most) * 100}%` }),
    el("span", { class: `value v-${value?.t ?? "null"}` }, text(value)), el("span", { class: "count" }, grouped(count))));
  });
  const notes = [`${grouped(data.distinct)} ${data.distinct === 1 ? "value" : "values"}`];
  if (data.others) notes.push(`${grouped(data.others)} objects with others`);
  const box = $("chart");
  box.hidden = false;
  box.replaceChildren(el("header", {}, el("h3", {}, property.name),
    el("small", {}, data.values.length ? notes.join(" · ") : "no objects"),
    el("span", { class: "gap" }),
    el("button", { class: "plain", "aria-label": "Close the values", onclick: onClose }, "×")),
  el("ul", { class: "facets" }, ...lines));
}
