// SPDX-License-Identifier: Apache-2.0
// The inspector: one object with all of its properties, collections, links and backlinks.

import { read } from "./api.js";
import { $, attempt, el, grouped } from "./dom.js";
import { entryForm, valueForm } from "./forms.js";
import { show, typeName } from "./values.js";

const KINDS = ["list", "set", "dictionary"];

export class Inspector {
  /** `host`: onFollow(cell), onEdit(edit), isEditing(), classes (Map), file. */
  constructor(host) {
    this.host = host;
    this.box = $("inspector");
  }

  /** Shows an object; nothing if there is none. */
  async open(target, isFocused = false) {
    this.target = target;
    if (!target) {
      this.text = undefined;
      this.box.replaceChildren(el("p", { class: "hint" },
        "Choose an object to see its properties, its links, and what links to it."));
      return;
    }
    try {
      const object = await read(this.host.file, "object", target);
      if (this.target !== target) return;
      if (this.box.querySelector("form:focus-within")) return;
      // What did not change is not drawn, and what changed keeps the focus where it was.
      const text = JSON.stringify([{ ...object, version: 0 }, this.host.isEditing()]);
      if (this.text !== text) {
        this.text = text;
        const places = () => [...this.box.querySelectorAll("a, button, summary")];
        const focused = places().indexOf(document.activeElement);
        this.draw(object);
        if (focused >= 0) (places()[focused] ?? this.box).focus();
      }
    } catch (error) {
      if (this.target !== target) return;
      this.text = undefined;
      this.box.replaceChildren(el("p", { class: "hint" }, error.message));
    }
    if (isFocused) this.box.querySelector("a, button, [tabindex]")?.focus();
  }

  refresh(isForced = false) {
    if (isForced) this.text = undefined;
    if (this.target) this.open(this.target);
  }

  draw(object) {
    const changed = this.shown?.class === object.class && this.shown.key === object.key
      ? this.shown : undefined;
    const schema = this.host.classes.get(object.class);
    this.box.replaceChildren(
      el("header", {}, el("h2", {}, object.title),
        el("small", {}, `${object.class} #${object.key}`)),
      ...this.properties(object, schema, changed), this.backlinks(object));
    this.shown = object;
  }

  properties(object, schema, changed) {
    return schema.properties.map((property, index) => {
      const cell = object.cells[index];
      const isChanged = changed
        && JSON.stringify(changed.cells[index]) !== JSON.stringify(cell);
      const place = { class: object.class, key: object.key, property: property.name, path: [] };
      const tools = el("span", { class: "tools" });
      const value = el("div", { class: `value${isChanged ? " flash" : ""}` });
      if (cell?.t === "string" && cell.v.length > 400) value.classList.add("long");
      const isKey = property.name === schema.primaryKey;
      value.append(this.value(cell, property, place, tools, isKey));
      return el("div", { class: "prop", "data-property": property.name },
        el("div", { class: "name" }, property.name,
          el("span", { class: "type" }, typeName(property) + (isKey ? " · primary key" : "")
            + (property.isIndexed && !isKey ? " · indexed" : "")), tools), value);
    });
  }

  // Values

  isEmbedded(property) { return this.host.classes.get(property.target)?.isEmbedded ?? false; }

  /** A value with what can be done with it. `place` is the edit without its kind. */
  value(cell, property, place, tools, isFixed = false) {
    if (KINDS.includes(cell?.t)) return this.collection(cell, property, place, tools);
    const editing = this.host.isEditing() && !isFixed;
    const shown = cell?.t === "link" && this.host.classes.get(cell.class)?.isEmbedded
      ? this.embedded(cell) : show(cell, this.host.onFollow);
    if (!editing) return shown;
    if (this.isEmbedded(property)) {
      tools.append(cell === null ? this.tool("+", "Create it", { ...place, kind: "embed" })
        : property.isOptional && place.path.length === 0
          ? this.tool("×", "Remove it", { ...place, kind: "set", value: null }) : "");
      return shown;
    }
    tools.append(el("button", {
      class: "plain", "aria-label": `Edit ${property.name}`, title: "Edit",
      onclick: (event) => this.edit(event.target.closest(".prop, li"), cell, property, place),
    }, "✎"));
    return shown;
  }

  edit(owner, cell, property, place) {
    const box = owner.querySelector(":scope > .value");
    const form = valueForm(cell, property, (value) => this.host.onEdit({
      ...place, kind: "set", value,
    }), () => this.refresh(true));
    box.replaceChildren(form);
    form.querySelector("input")?.focus();
  }

  tool(sign, title, edit) {
    return el("button", {
      class: "plain", title, "aria-label": title, onclick: () => this.host.onEdit(edit),
    }, sign);
  }

  /** An embedded object, shown inside of its owner. */
  embedded(cell) {
    const inside = el("div");
    const box = el("details", { class: "inside" },
      el("summary", {}, `${cell.class} `, show(cell, this.host.onFollow)), inside);
    box.addEventListener("toggle", () => attempt(async () => {
      if (!box.open || inside.childElementCount) return;
      const object = await read(this.host.file, "object", { class: cell.class, key: cell.key });
      inside.append(...this.properties(object, this.host.classes.get(cell.class)));
    }));
    box.open = true;
    return box;
  }

  // Collections

  collection(cell, property, place, tools) {
    const editing = this.host.isEditing();
    const items = el("ul", { class: "items" });
    this.items(items, cell, property, place, 0);
    const head = el("span", { class: "v-count" },
      `${grouped(cell.n)} ${cell.t === "dictionary" ? "entries" : "elements"}`);
    if (editing) {
      tools.append(el("button", {
        class: "plain", title: "Add", "aria-label": `Add to ${property.name}`,
        onclick: () => this.add(items, cell, property, place),
      }, "+"));
      if (cell.n) {
        tools.append(this.tool("⌫", "Remove all",
          { ...place, kind: "clear", value: property.collection ? null : { t: cell.t } }));
      }
    }
    return el("div", {}, head, items);
  }

  items(list, cell, property, place, start) {
    cell.v.forEach((element, offset) => {
      const index = start + offset;
      const [key, value] = cell.t === "dictionary" ? element : [index, element];
      list.append(this.item(cell, property, { ...place, path: [...place.path, key] }, key, value));
    });
    const end = start + cell.v.length;
    if (end >= cell.n || place.path.length) return;
    const more = el("button", {
      onclick: () => attempt(async () => {
        const { class: name, key, property: own } = place;
        const piece = await read(this.host.file, "elements",
          { class: name, key, property: own, start: end });
        more.parentElement.remove();
        this.items(list, piece, property, place, end);
      }),
    }, `Show more of ${grouped(cell.n)}`);
    list.append(el("li", {}, more));
  }

  item(cell, property, place, key, value) {
    const tools = el("span", { class: "tools" });
    const single = { ...property, collection: null };
    const isSet = cell.t === "set";
    const content = el("div", { class: "value" },
      this.value(value, single, place, tools, isSet));
    if (this.host.isEditing()) {
      const owner = { ...place, path: place.path.slice(0, -1) };
      if (cell.t === "list" && key > 0) {
        tools.append(this.tool("↑", "Move up", { ...place, kind: "move", to: key - 1 }));
      }
      tools.append(isSet ? this.tool("×", "Remove", { ...owner, kind: "discard", value })
        : this.tool("×", "Remove", { ...place, kind: "erase" }));
    }
    return el("li", {}, el("span", { class: "at" }, isSet ? "·" : String(key)), content, tools);
  }

  add(list, cell, property, place) {
    if (list.querySelector(":scope > li > form")) return;
    const single = { ...property, collection: null };
    const isEmbedded = this.isEmbedded(property);
    const done = (key, value) => {
      if (cell.t === "set") return this.host.onEdit({ ...place, kind: "add", value });
      const path = [...place.path, cell.t === "list" ? cell.n : key];
      const kind = isEmbedded ? "embed" : cell.t === "list" ? "insert" : "set";
      return this.host.onEdit({ ...place, kind, path, value });
    };
    if (isEmbedded && cell.t === "list") { done(); return; }
    const form = entryForm(single, cell.t === "dictionary", !isEmbedded, done,
      () => this.refresh(true));
    list.append(el("li", {}, form));
    form.querySelector("input")?.focus();
  }

  // What links here

  backlinks(object) {
    const box = el("div", { class: "backlinks" }, el("h3", {}, "Linked from"));
    if (!object.backlinks.length) box.append(el("span", { class: "v-null" }, "nothing"));
    for (const group of object.backlinks) {
      box.append(el("div", { class: "prop" },
        el("div", { class: "name" }, `${group.class}.${group.property}`,
          el("span", { class: "type" }, grouped(group.n))),
        el("ul", { class: "items" }, ...group.v.filter(Boolean).map((cell) =>
          el("li", {}, show(cell, this.host.onFollow))),
        group.n > group.v.length ? el("li", { class: "v-null" },
          `and ${grouped(group.n - group.v.length)} more`) : null)));
    }
    return box;
  }
}
