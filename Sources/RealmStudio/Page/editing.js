// SPDX-License-Identifier: Apache-2.0
// The transaction: begin, edits with undo and redo, commit or cancel.

import { write } from "./api.js";
import { $, attempt, el, notice } from "./dom.js";
import { valueForm } from "./forms.js";
import { generatedKey } from "./generated.js";
import { askForClass, askForProperty, showSchema } from "./schema.js";

export class Editing {
  /** `actions`: onChange(), onCreated(key), onClass(name), selected() as "Class:key", schema(),
   *  classes(). */
  constructor(host, actions) {
    this.host = host;
    this.actions = actions;
  }

  get isOpen() { return Boolean(this.draft); }

  /** Whether edits would be lost with the transaction. */
  get hasEdits() { return (this.draft?.edits ?? 0) > 0; }

  /** Shows the state of the file's transaction. */
  show(file, draft) {
    this.file = file;
    this.draft = draft;
    const bar = $("edit-bar");
    if (!file?.isWritable) {
      bar.replaceChildren(el("small", { class: "v-null", title: "Start with --write to edit" },
        "read-only"));
      return;
    }
    const button = (id, text, title, action, properties = {}) =>
      el("button", { id, title, onclick: () => attempt(action), ...properties }, text);
    if (!draft) {
      bar.replaceChildren(button("begin", "Edit", "Begin a transaction (E)", () => this.begin()));
      return;
    }
    bar.replaceChildren(
      el("span", { class: "edits",
        title: "Other programs wait to write until you commit or cancel" },
        `${draft.edits} ${draft.edits === 1 ? "edit" : "edits"}`),
      button("new-class", "+ Class", "New class", () => askForClass(
        (edit) => this.edit(edit), (name) => this.actions.onClass(name))),
      button("new-property", "+ Property", "New property of the class", () => askForProperty(
        this.actions.schema(), this.actions.classes(), (edit) => this.edit(edit))),
      button("change-class", "Class…", "Rename and remove the class and its properties",
        () => showSchema(this.actions.schema, (edit) => this.edit(edit), this.actions.onClass)),
      button("new", "New", "New object (N)", () => this.create()),
      button("delete", "Delete", "Delete the object (Delete)", () => this.remove(),
        { class: "danger" }),
      button("undo", "Undo", "Undo (Ctrl+Z)", () => this.step("undo"),
        { disabled: draft.edits === 0 }),
      button("redo", "Redo", "Redo (Ctrl+Shift+Z)", () => this.step("redo"),
        { disabled: draft.undone === 0 }),
      button("cancel", "Cancel", "Drop all edits", () => this.end("cancel")),
      button("commit", "Commit", "Make the edits durable (Ctrl+S)", () => this.end("commit"),
        { class: "primary" }));
  }

  async begin() {
    if (this.isOpen || !this.file.isWritable) return;
    this.show(this.file, await write(this.file.id, "begin"));
    await this.actions.onChange();
  }

  /** Begins if no transaction is open; returns true, or throws where the file is not written. */
  async require() {
    if (!this.file.isWritable) {
      throw new Error("The file is shown without writing. Start Studio with --write to edit.");
    }
    await this.begin();
    return this.isOpen;
  }

  /** Makes an edit. The events of the server lead to the drawing. */
  async edit(edit) {
    const answer = await write(this.file.id, "edit", edit);
    this.show(this.file, answer.draft);
    await this.actions.onChange();
    return answer.key;
  }

  async step(name) {
    if (!this.isOpen) return;
    this.show(this.file, await write(this.file.id, name));
    await this.actions.onChange();
  }

  async end(name) {
    if (!this.isOpen) return;
    await write(this.file.id, name);
    this.show(this.file, null);
    await this.actions.onChange();
  }

  async create() {
    const schema = this.actions.schema();
    if (!this.isOpen || !schema) return;
    const key = schema.primaryKey ? await this.askForKey(schema)
      : await this.edit({ kind: "create", class: schema.name });
    if (key) this.actions.onCreated(key);
  }

  /** Asks for the primary key of a new object until it is one, or the person gives up. */
  async askForKey(schema) {
    const dialog = $("dialog");
    const property = schema.properties.find((one) => one.name === schema.primaryKey);
    const suggested = await generatedKey(this.file.id, schema, property);
    return new Promise((resolve) => {
      const form = valueForm(suggested, property, async (value) => {
        resolve(await this.edit({ kind: "create", class: schema.name, value }));
        dialog.close();
      }, () => dialog.close());
      dialog.addEventListener("close", () => resolve(undefined), { once: true });
      dialog.replaceChildren(el("h2", {}, `New ${schema.name}: ${property.name}`), form);
      dialog.showModal();
      form.querySelector("input").focus();
      form.querySelector("input").select();
    });
  }

  async remove() {
    const [name, key] = (this.actions.selected() ?? ":").split(":");
    if (!this.isOpen || !key) {
      if (this.isOpen) notice(new Error("Choose an object of the table first."));
      return;
    }
    await this.edit({ kind: "delete", class: name, keys: [key] });
  }
}
