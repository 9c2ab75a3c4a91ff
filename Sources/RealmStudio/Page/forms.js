// SPDX-License-Identifier: Apache-2.0
// The small forms in which values are written.

import { attempt, el } from "./dom.js";
import { editText, input, scalars } from "./values.js";

const HINTS = {
  date: "2026-01-31 12:00:00 (UTC)", data: "Base64", bool: "true or false",
  uuid: "123e4567-e89b-…", objectId: "24 hexadecimal digits",
};

function typeChoice(cell) {
  const types = [...scalars, "link", "list", "dictionary", "null"];
  const choice = el("select", { "aria-label": "Type" },
    ...types.map((type) => el("option", { value: type }, type)));
  choice.value = cell?.t ?? "string";
  return choice;
}

/** What was written, as the server reads it. */
function written(field, property, choice) {
  if (!choice) return input(field.value, property.type, property);
  if (choice.value === "null") return null;
  if (choice.value === "list" || choice.value === "dictionary") return { t: choice.value };
  if (choice.value === "link") {
    const [name, key] = field.value.split("#").map((part) => part.trim());
    return { t: "link", class: name, key };
  }
  return input(field.value, choice.value, property);
}

/** A form for one value. `onDone(value)` makes the edit, `onCancel()` puts the value back. */
export function valueForm(cell, property, onDone, onCancel, key = undefined) {
  const field = el("input", {
    "aria-label": property.name, placeholder: property.type === "link"
      ? "#key or primary key"
      : property.type === "mixed" ? "value, or Class#key" : HINTS[property.type],
  });
  field.value = editText(cell);
  const choice = property.type === "mixed" ? typeChoice(cell) : undefined;
  const empty = property.isOptional && !choice ? el("button", {
    type: "button", title: "No value", onclick: () => attempt(() => onDone(null)),
  }, "null") : null;
  const form = el("form", { class: "form", autocomplete: "off" }, key, choice, field, empty,
    el("button", { class: "primary" }, "OK"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    // The inspector shows nothing new while the person is writing in it.
    form.closest("aside")?.focus();
    attempt(() => onDone(written(field, property, choice)));
  });
  form.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") { form.remove(); onCancel(); }
  });
  return form;
}

/** A form for a new element, with its key in a dictionary. `onDone(key, value)` makes the edit. */
export function entryForm(property, hasKey, hasValue, onDone, onCancel) {
  const key = hasKey ? el("input", { "aria-label": "Key", placeholder: "key" }) : undefined;
  const form = valueForm(null, property, (value) => onDone(key?.value, value), onCancel, key);
  if (!hasValue) form.querySelector("input:last-of-type").hidden = true;
  return form;
}
