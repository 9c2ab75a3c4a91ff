// SPDX-License-Identifier: Apache-2.0
// Which columns of a class are shown, which are pinned at the left, and how wide they are. The
// browser keeps it for each file and class.

import { $, el } from "./dom.js";
import { typeName } from "./values.js";

const KEY_WIDTH = 74;
/** The share of the table that pinned columns may take: the others need room to scroll. */
const PINNED_SHARE = 0.6;
const USUAL = { bool: 110, int: 130, date: 176, string: 190, data: 110, uuid: 290 };

export class Columns {
  /** The columns of a class; `path` is the file's. */
  constructor(path, schema) {
    this.place = `columns ${path} ${schema.name}`;
    this.schema = schema;
    const kept = JSON.parse(localStorage.getItem(this.place) ?? "{}");
    this.hidden = new Set(kept.hidden);
    this.pinned = new Set(kept.pinned ?? (schema.primaryKey ? [schema.primaryKey] : []));
    this.widths = new Map(kept.widths);
  }

  keep() {
    localStorage.setItem(this.place, JSON.stringify({
      hidden: [...this.hidden], pinned: [...this.pinned], widths: [...this.widths],
    }));
  }

  show(name, isShown) {
    if (isShown) this.hidden.delete(name); else this.hidden.add(name);
    this.keep();
  }

  pin(name, isPinned) {
    if (isPinned) this.pinned.add(name); else this.pinned.delete(name);
    this.keep();
  }

  resize(name, width) {
    this.widths.set(name, Math.max(50, width));
    this.keep();
  }

  width(name) {
    if (this.widths.has(name)) return this.widths.get(name);
    const property = this.schema.properties.find((candidate) => candidate.name === name);
    if (!property) return KEY_WIDTH;
    return Math.max(USUAL[property.type] ?? 150, name.length * 8 + 90);
  }

  /** The number of columns that are not shown. */
  get hiddenCount() {
    return this.schema.properties.filter((one) => this.hidden.has(one.name)).length;
  }

  /** The shown properties in their order, the pinned ones first: `index` is the place among the
   *  cells of a row, `left` where a pinned column stays. */
  arranged(room) {
    const shown = this.schema.properties.map((property, index) => ({
      ...property, index, width: this.width(property.name),
    })).filter((one) => !this.hidden.has(one.name));
    const isPinned = (one) => this.pinned.has(one.name);
    let left = this.width("");
    return [...shown.filter(isPinned), ...shown.filter((one) => !isPinned(one))].map((one) => {
      if (!isPinned(one) || left + one.width > room * PINNED_SHARE) return one;
      const placed = { ...one, left };
      left += one.width;
      return placed;
    });
  }
}

/** Lets the person choose the columns; `onChange()` is called after each choice. */
export function chooseColumns(columns, onChange) {
  const dialog = $("dialog");
  const box = (property, kind, isOn, change) => {
    const field = el("input", {
      type: "checkbox", "aria-label": `${kind} ${property.name}`, checked: isOn,
    });
    field.addEventListener("change", () => { change(property.name, field.checked); onChange(); });
    return el("td", {}, field);
  };
  const rows = columns.schema.properties.map((property) => el("tr", {},
    el("th", { scope: "row" }, property.name, " ", el("small", {}, typeName(property))),
    box(property, "Show", !columns.hidden.has(property.name), (...on) => columns.show(...on)),
    box(property, "Pin", columns.pinned.has(property.name), (...on) => columns.pin(...on))));
  dialog.replaceChildren(el("h2", {}, `Columns of ${columns.schema.name}`),
    el("div", { class: "column-choice" }, el("table", {},
      el("thead", {}, el("tr", {}, el("td", {}), el("th", {}, "shown"), el("th", {}, "pinned"))),
      el("tbody", {}, ...rows))),
    el("button", { class: "primary", onclick: () => dialog.close() }, "Close"));
  dialog.showModal();
}
