// SPDX-License-Identifier: Apache-2.0
// The objects of a class, as the operator has them, and which of them a user sees.

import { el, grouped, table } from "./dom.js";
import { newButton, rowButtons } from "./edits.js";
import { local } from "./format.js";
import { read } from "./server.js";

const textLengthMax = 60;

/** A value of extended JSON for people. */
function shown(value) {
  if (value === undefined || value === null) return "–";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return String(value);
  for (const key of ["$oid", "$uuid", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal"]) {
    if (key in value) return value[key];
  }
  if ("$date" in value) {
    const time = value.$date.$numberLong ?? value.$date;
    return local(Number.isNaN(Number(time)) ? time : Number(time));
  }
  return JSON.stringify(value);
}

function cell(value) {
  const text = shown(value);
  if (text.length <= textLengthMax) return text;
  return el("span", { title: text }, `${text.slice(0, textLengthMax)}…`);
}

function objectsTable(properties, page, user, buttons) {
  if (page.objects.length === 0) return el("p", { class: "hint" }, "There are no such objects.");
  const view = (row) => {
    if (!row.seen) return [["no", "late"]];
    return [row.hidden.length > 0 ? `without ${row.hidden.join(", ")}` : "yes"];
  };
  const headings = [...(user ? ["seen by the user"] : []), ...properties, ...(buttons ? [""] : [])];
  return table(headings, page.objects.map((row) => ({
    style: row.seen === false ? "disabled" : undefined,
    cells: [...(user ? view(row) : []), ...properties.map((name) => cell(row.document[name])),
      ...(buttons ? [[buttons(row.document), "tools"]] : [])],
  })));
}

/** The class, the filter and the user to choose, and what was found. */
export async function dataView(app, memory, reload, mayEdit) {
  memory.classes ??= await read(app.id, "classes");
  if (memory.classes.length === 0) {
    return el("p", { class: "hint" }, "The app has no classes yet.");
  }
  memory.className ??= memory.classes[0].name;
  const set = (name) => (event) => {
    memory[name] = event.target.value.trim();
    memory.from = 0;
    reload();
  };
  const input = (name, placeholder, label) => el("input", {
    id: `data-${name}`, type: "search", placeholder, "aria-label": label,
    value: memory[name] ?? "", spellcheck: false, onchange: set(name),
  });
  const form = el("div", { class: "group" },
    el("select", { id: "data-class", "aria-label": "Class", onchange: set("className") },
      memory.classes.map(({ name }) =>
        el("option", { value: name, selected: name === memory.className }, name))),
    input("filter", '{"isDone": false}', "A filter, as a JSON object"),
    input("user", "As the user with this id", "The id of a user"));
  let page;
  try {
    page = await read(app.id, "objects", { class: memory.className,
      filter: memory.filter || undefined, user: memory.user || undefined,
      from: memory.from || undefined });
  } catch (error) {
    return el("div", {}, form, el("p", { class: "bad", role: "alert" }, error.message));
  }
  const { properties } = memory.classes.find(({ name }) => name === memory.className);
  const step = (title, from) => el("button", { onclick: () => {
    memory.from = from;
    reload();
  } }, title);
  const end = page.start + page.objects.length;
  const target = { app, className: memory.className, user: memory.user || undefined };
  const buttons = mayEdit ? (document) => rowButtons(target, document, reload) : undefined;
  return el("div", {}, form,
    mayEdit ? newButton(target, properties, reload) : null,
    page.rules ? el("p", { class: "hint rules" }, page.rules) : null,
    objectsTable(properties, page, memory.user, buttons),
    el("p", { class: "hint" },
      page.objects.length > 0 ? `${grouped(page.start + 1)} to ${grouped(end)} ` : "",
      page.start > 0 ? step("First", 0) : null, page.more ? step("Next", end) : null));
}
