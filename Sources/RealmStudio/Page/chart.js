// SPDX-License-Identifier: Apache-2.0
// The chart of a property: how many objects have values in each interval.

import { $, el, grouped, svg } from "./dom.js";
import { dateText } from "./values.js";

const [WIDTH, HEIGHT, FOOT] = [1000, 112, 2];

function label(value, property, step) {
  if (property.type === "date") {
    const text = dateText(`${Math.round(value)}:0`);
    return step > 86400 * 2 ? text.slice(0, 10) : text;
  }
  if (property.type === "int" && step >= 1) return grouped(Math.round(value));
  return String(Number(value.toPrecision(5)));
}

/** A bound as a query spells it. */
function literal(value, property) {
  if (property.type === "date") return `T${Math.floor(value)}:0`;
  return property.type === "int" ? String(Math.ceil(value)) : String(value);
}

/** Draws the chart; `onRange(query)` is called with the condition of a bar, `onClose()` to end. */
export function drawChart(property, data, onRange, onClose) {
  const most = Math.max(...data.counts, 1);
  const { least, greatest, counts } = data;
  const step = (greatest - least) / counts.length;
  const bar = WIDTH / Math.max(counts.length, 1);
  const bars = counts.map((count, index) => {
    const size = count === 0 ? 0 : Math.max((count / most) * (HEIGHT - FOOT - 8), 1.5);
    const [from, to] = [least + index * step, least + (index + 1) * step];
    const isLast = index === counts.length - 1;
    const condition = step === 0 ? `${property.name} == ${literal(least, property)}`
      : `${property.name} >= ${literal(from, property)} AND `
        + `${property.name} ${isLast ? "<=" : "<"} `
        + literal(isLast && property.type === "date" ? to + 1 : to, property);
    return svg("rect", {
      x: index * bar + 1, width: Math.max(bar - 2, 1), y: HEIGHT - FOOT - size, height: size,
      rx: 2, tabindex: count ? 0 : -1, role: "button",
      "aria-label": `${label(from, property, step)} to ${label(to, property, step)}: ${count}`,
      onclick: () => onRange(condition),
      onkeydown: (event) => { if (event.key === "Enter") onRange(condition); },
    }, svg("title", {}, `${label(from, property, step)} – ${label(to, property, step)}: `
      + `${grouped(count)} objects`));
  });
  const ticks = counts.length === 0 ? [] : [0, 0.25, 0.5, 0.75, 1].map((share) =>
    el("span", {}, label(least + share * (greatest - least), property, step)));
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none",
    role: "group", "aria-label": `Chart of ${property.name}` }, ...bars,
  svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT - FOOT, y2: HEIGHT - FOOT }));
  const notes = [`${grouped(counts.reduce((sum, count) => sum + count, 0))} values`];
  if (data.nulls) notes.push(`${grouped(data.nulls)} null`);
  if (data.odd) notes.push(`${grouped(data.odd)} infinite or no numbers`);
  notes.push(`tallest bar ${grouped(most)}`);
  const box = $("chart");
  box.hidden = false;
  box.replaceChildren(el("header", {}, el("h3", {}, property.name),
    el("small", {}, counts.length ? notes.join(" · ") : "no values"), el("span", { class: "gap" }),
    el("button", { class: "plain", "aria-label": "Close the chart", onclick: onClose }, "×")),
  picture, el("div", { class: "ticks" }, ...ticks));
}
