// SPDX-License-Identifier: Apache-2.0
// The dialogs in which classes and properties are created, renamed and removed, within a
// transaction.

import { $, attempt, el, grouped, notice } from "./dom.js";
import { scalars, typeName } from "./values.js";

const KEY_TYPES = ["int", "string", "objectId", "uuid"];
const INDEXED = ["int", "bool", "string", "date", "objectId", "uuid", "mixed"];

function choice(label, values, names = values) {
  return el("select", { "aria-label": label },
    ...values.map((value, index) => el("option", { value }, names[index])));
}

function line(label, field) { return el("label", { class: "line" }, el("span", {}, label), field); }

/** Shows a form until `onDone()` succeeds or the person gives up. */
function ask(title, lines, onDone) {
  const dialog = $("dialog");
  const form = el("form", { class: "lines", autocomplete: "off" }, ...lines,
    el("div", { class: "group" }, el("span", { class: "gap" }),
      el("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
      el("button", { class: "primary" }, "Create")));
  const failure = el("p", { class: "failure", role: "alert" });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await onDone();
      dialog.close();
    } catch (error) {
      failure.textContent = error.remedy ? `${error.message} ${error.remedy}` : error.message;
    }
  });
  dialog.replaceChildren(el("h2", {}, title), form, failure);
  dialog.showModal();
  form.querySelector("input").focus();
}

/** Asks for a new class; `onEdit(edit)` makes it, `onCreated(name)` shows it. */
export function askForClass(onEdit, onCreated) {
  const name = el("input", { "aria-label": "Name of the class", required: true });
  const kind = choice("Kind", ["top-level", "embedded"]);
  const key = el("input", { "aria-label": "Primary key", placeholder: "none" });
  const type = choice("Type of the primary key", KEY_TYPES);
  const rest = [line("Primary key", key), line("Its type", type)];
  kind.addEventListener("change", () => {
    for (const one of rest) one.hidden = kind.value === "embedded";
  });
  ask("New class", [line("Name", name), line("Kind", kind), ...rest], async () => {
    const isEmbedded = kind.value === "embedded";
    await onEdit({
      kind: "createClass", class: name.value, isEmbedded,
      ...(!isEmbedded && key.value ? { property: key.value, type: type.value } : {}),
    });
    await onCreated(name.value);
  });
}

/** Asks for a new property of a class; `onEdit(edit)` makes it. */
export function askForProperty(schema, classes, onEdit) {
  if (!schema) {
    notice(new Error("Create a class first."));
    return;
  }
  const name = el("input", { "aria-label": "Name of the property", required: true });
  const type = choice("Type", [...scalars, "mixed", "link"]);
  const target = choice("Class that it links to", [...classes.keys()]);
  const collection = choice("Collection", ["", "list", "set", "dictionary"],
    ["one value", "list", "set", "dictionary"]);
  const isOptional = el("input", { type: "checkbox", "aria-label": "Optional" });
  const isIndexed = el("input", { type: "checkbox", "aria-label": "Indexed" });
  const lines = {
    target: line("Links to", target), optional: line("Optional", isOptional),
    indexed: line("Indexed", isIndexed),
  };
  const show = () => {
    lines.target.hidden = type.value !== "link";
    // Links and values of any type can always be empty, elements of lists and sets of links never.
    lines.optional.hidden = ["link", "mixed"].includes(type.value);
    lines.indexed.hidden = collection.value !== "" || !INDEXED.includes(type.value);
  };
  type.addEventListener("change", show);
  collection.addEventListener("change", show);
  show();
  ask(`New property of ${schema.name}`, [line("Name", name), line("Type", type), lines.target,
    line("Collection", collection), lines.optional, lines.indexed], () => onEdit({
    kind: "addProperty", class: schema.name, property: name.value, type: type.value,
    collection: collection.value || null,
    target: type.value === "link" ? target.value : null,
    isOptional: !lines.optional.hidden && isOptional.checked,
    isIndexed: !lines.indexed.hidden && isIndexed.checked,
  }));
}

/** Shows a class with its properties: each can be renamed and removed. `schema()` is the class as it
 *  is, `onEdit(edit)` changes it, `onClass(name)` shows the class under its new name; an empty name
 *  stands for another class. */
export function showSchema(schema, onEdit, onClass) {
  const dialog = $("dialog");
  if (!schema()) {
    notice(new Error("Create a class first."));
    return;
  }
  const draw = () => {
    const shown = schema();
    const row = (name, type, isFixed, rename, remove, warning) => {
      const field = el("input", { "aria-label": `Name of ${name}`, value: name });
      const change = () => attempt(async () => {
        if (field.value !== name) await rename(field.value);
      });
      field.addEventListener("keydown", (event) => {
        event.stopPropagation();
        if (event.key === "Enter") change();
      });
      return el("tr", {}, el("td", {}, field), el("td", {}, el("small", {}, type)),
        el("td", {}, el("button", { "aria-label": `Rename ${name}`, onclick: change }, "Rename")),
        el("td", {}, isFixed ? null : el("button", {
          class: "danger", "aria-label": `Remove ${name}`,
          onclick: (event) => {
            // The second click removes: undo takes it back, until the commit.
            if (event.target.dataset.asked) attempt(remove);
            event.target.dataset.asked = "true";
            event.target.textContent = warning;
          },
        }, "Remove")));
    };
    const count = shown.count === null ? "its objects" : `${grouped(shown.count)} objects`;
    const rows = shown.properties.map((property) => row(
      property.name, typeName(property), property.name === shown.primaryKey,
      async (to) => {
        await onEdit({ kind: "renameProperty", class: shown.name, property: property.name, to });
        draw();
      },
      async () => {
        await onEdit({ kind: "removeProperty", class: shown.name, property: property.name });
        draw();
      }, `With the values of ${count}?`));
    const own = row(shown.name, "class", false, async (to) => {
      await onEdit({ kind: "renameClass", class: shown.name, to });
      await onClass(to);
      draw();
    }, async () => {
      await onEdit({ kind: "removeClass", class: shown.name });
      dialog.close();
      await onClass("");
    }, `With ${count}?`);
    dialog.replaceChildren(el("h2", {}, `Class ${shown.name}`),
      el("p", { class: "hint" }, "An app that has the file needs the same change in its models."),
      el("div", { class: "column-choice" }, el("table", {}, el("tbody", {}, own, ...rows))),
      el("button", { class: "primary", onclick: () => dialog.close() }, "Close"));
  };
  draw();
  dialog.showModal();
}
