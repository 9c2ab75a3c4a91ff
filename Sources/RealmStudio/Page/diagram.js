// SPDX-License-Identifier: Apache-2.0
// The schema as a diagram: classes in columns, in the direction of their links.

import { $, svg } from "./dom.js";
import { typeName } from "./values.js";

const [WIDTH, LINE, HEAD, GAP_X, GAP_Y, MARGIN] = [224, 19, 30, 84, 34, 30];
const LINES_MAX = 14;

/** The columns of the diagram: each class one further right than those that link to it, as far as
 *  links in circles allow. */
export function layers(classes) {
  const depth = new Map();
  const targets = (schema) => schema.properties.filter((property) => property.target)
    .map((property) => property.target).filter((name) => name !== schema.name);
  const linked = new Set(classes.flatMap(targets));
  const byName = new Map(classes.map((schema) => [schema.name, schema]));
  const visit = (name, level, path) => {
    if (path.has(name) || (depth.get(name) ?? -1) >= level) return;
    depth.set(name, level);
    path.add(name);
    for (const target of targets(byName.get(name) ?? { properties: [] })) {
      visit(target, level + 1, path);
    }
    path.delete(name);
  };
  const links = (schema) => targets(schema).length > 0;
  const roots = classes.filter((schema) => links(schema) && !linked.has(schema.name));
  for (const schema of [...roots, ...classes.filter(links)]) {
    if (!depth.has(schema.name)) visit(schema.name, 0, new Set());
  }
  const columns = [];
  for (const [name, level] of depth) (columns[level] ??= []).push(byName.get(name));
  const alone = classes.filter((schema) => !depth.has(schema.name));
  return { columns: columns.filter(Boolean), alone };
}

const height = (schema) => HEAD + 8
  + LINE * Math.min(schema.properties.length, LINES_MAX + 1);

function place(classes) {
  const { columns, alone } = layers(classes);
  const boxes = new Map();
  let bottom = MARGIN;
  columns.forEach((column, index) => {
    let y = MARGIN + (index % 2) * 26;
    for (const schema of column.filter(Boolean)) {
      boxes.set(schema.name, { schema, x: MARGIN + index * (WIDTH + GAP_X), y });
      y += height(schema) + GAP_Y;
    }
    bottom = Math.max(bottom, y);
  });
  const across = Math.max(columns.length, 3);
  for (let start = 0; start < alone.length; start += across) {
    const row = alone.slice(start, start + across);
    row.forEach((schema, index) => boxes.set(schema.name,
      { schema, x: MARGIN + index * (WIDTH + GAP_X), y: bottom }));
    bottom += Math.max(...row.map(height)) + GAP_Y;
  }
  const right = Math.max(...[...boxes.values()].map((box) => box.x + WIDTH), 0);
  return { boxes, width: right + MARGIN + 40, height: bottom + MARGIN };
}

function edge(from, line, to, property) {
  const y1 = from.y + HEAD + 4 + LINE * (Math.min(line, LINES_MAX) + 0.5);
  const y2 = to.y + HEAD / 2;
  const isForward = to.x > from.x;
  const x1 = from.x + WIDTH;
  const x2 = isForward ? to.x - 6 : to.x + WIDTH + 6;
  const bend = isForward ? Math.max((x2 - x1) / 2, 40) : 60 + Math.abs(y2 - y1) / 8;
  const end = isForward ? x2 - bend : x2 + bend;
  return svg("path", {
    class: "edge", d: `M${x1} ${y1} C${x1 + bend} ${y1} ${end} ${y2} ${x2} ${y2}`,
    "marker-end": "url(#arrow)", "data-from": from.schema.name, "data-to": to.schema.name,
    "stroke-dasharray": property.collection ? "6 3" : null,
  }, svg("title", {}, `${from.schema.name}.${property.name}: ${typeName(property)}`));
}

function box({ schema, x, y }, onOpen, root) {
  const shown = schema.properties.slice(0, LINES_MAX);
  const open = () => onOpen(schema.name);
  const light = (isLit) => root.querySelectorAll("path.edge").forEach((path) => {
    const isOwn = path.dataset.from === schema.name || path.dataset.to === schema.name;
    path.classList.toggle("lit", isLit && isOwn);
  });
  const lines = shown.map((property, index) => {
    const at = HEAD + 4 + LINE * (index + 0.72);
    const name = property.name.length > 18 ? `${property.name.slice(0, 17)}…` : property.name;
    return [
      svg("text", { x: 12, y: at,
        class: property.name === schema.primaryKey ? "primary-key" : null }, name),
      svg("text", { class: "dim", x: WIDTH - 12, y: at, "text-anchor": "end" },
        typeName(property).slice(0, 18)),
    ];
  });
  const more = schema.properties.length - shown.length;
  return svg("g", {
    class: "box", transform: `translate(${x} ${y})`, tabindex: 0, role: "link",
    "aria-label": `${schema.name}, ${schema.count} objects`, "data-class": schema.name,
    onclick: open, onkeydown: (event) => { if (event.key === "Enter") open(); },
    onmouseenter: () => light(true), onmouseleave: () => light(false),
    onfocus: () => light(true), onblur: () => light(false),
  },
  svg("rect", { width: WIDTH, height: height(schema), rx: 9,
    "stroke-dasharray": schema.isEmbedded ? "5 3" : null }),
  svg("path", { class: "title",
    d: `M1 ${HEAD}V10a9 9 0 0 1 9-9H${WIDTH - 10}a9 9 0 0 1 9 9V${HEAD}Z` }),
  svg("text", { class: "name", x: 12, y: 20 }, schema.name),
  svg("text", { class: "dim", x: WIDTH - 12, y: 20, "text-anchor": "end" },
    schema.isEmbedded ? "embedded" : schema.count.toLocaleString("en-US")),
  ...lines.flat(),
  more > 0 ? svg("text", { class: "dim", x: 12, y: HEAD + 4 + LINE * (LINES_MAX + 0.72) },
    `and ${more} more`) : null);
}

/** Draws the classes; `onOpen(name)` is called for the one that is chosen. */
export function drawDiagram(classes, onOpen) {
  const layout = place(classes);
  const arrow = svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4,
    markerUnits: "userSpaceOnUse", markerWidth: 9, markerHeight: 9, orient: "auto-start-reverse" },
  svg("path", { d: "M0 0L8 4L0 8Z" }));
  const root = svg("svg", { width: layout.width, height: layout.height,
    // A narrow window shows all of it, smaller.
    viewBox: `0 0 ${layout.width} ${layout.height}`, role: "group", "aria-label": "Schema" }, svg("defs", {}, arrow));
  for (const from of layout.boxes.values()) {
    from.schema.properties.forEach((property, line) => {
      const to = layout.boxes.get(property.target);
      if (to) root.append(edge(from, line, to, property));
    });
  }
  for (const one of layout.boxes.values()) root.append(box(one, onOpen, root));
  $("diagram").replaceChildren(root);
}
