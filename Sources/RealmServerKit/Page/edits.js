// SPDX-License-Identifier: Apache-2.0
// Changes of objects, which the person writes as extended JSON.

import { confirmed, edited } from "./dialogs.js";
import { attempt, el } from "./dom.js";
import { Failure, post } from "./server.js";

/** The document of a text. Numbers that JSON would round are an error. */
export function parsed(text) {
  let value;
  try {
    value = JSON.parse(text, (key, part) => {
      if (Number.isInteger(part) && !Number.isSafeInteger(part)) {
        throw new Failure(`Write the large number of "${key}" as {"$numberLong": "…"}.`);
      }
      return part;
    });
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`This is no JSON: ${error.message}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new Failure("An object is written as {…}.");
  }
  return value;
}

/** What makes one document of another: the new values, and the properties that have none now. */
export function differences(before, after) {
  const isSame = (name) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  return {
    set: Object.fromEntries(Object.entries(after).filter(([name]) => !isSame(name))),
    unset: Object.keys(before).filter((name) => !(name in after)),
  };
}

/** The buttons of an object of an app and a class. The rights of the user count, if there is one. */
export function rowButtons({ app, className, user }, document, reload) {
  const change = (action, content) => attempt(async () => {
    await post([app.id, "objects", action], { class: className, user, ...content });
    await reload();
  });
  const edit = () => attempt(async () => {
    const text = await edited(`Change the ${className}`, JSON.stringify(document, null, 2), "Change");
    if (text === undefined) return;
    const after = parsed(text);
    if (JSON.stringify(after._id) !== JSON.stringify(document._id)) {
      throw new Failure("The key of an object stays: make another object.");
    }
    const { set, unset } = differences(document, after);
    if (Object.keys(set).length + unset.length === 0) return;
    await change("update", { key: document._id, set, unset });
  });
  const remove = () => attempt(async () => {
    if (await confirmed(`Delete this ${className} on all devices?`, "Delete")) {
      await change("delete", { key: document._id });
    }
  });
  return [
    el("button", { class: "small", "data-action": "edit", onclick: edit }, "Edit"), " ",
    el("button", { class: "small danger", "data-action": "remove", onclick: remove }, "Delete"),
  ];
}

/** The button that makes an object. */
export function newButton({ app, className, user }, properties, reload) {
  return el("button", { id: "new-object", onclick: () => attempt(async () => {
    const empty = Object.fromEntries(properties.map((name) => [name, null]));
    const text = await edited(`New ${className}`, JSON.stringify(empty, null, 2), "Make");
    if (text === undefined) return;
    await post([app.id, "objects", "insert"], { class: className, user, document: parsed(text) });
    await reload();
  }) }, "New object");
}
