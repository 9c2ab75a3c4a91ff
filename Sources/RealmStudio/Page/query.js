// SPDX-License-Identifier: Apache-2.0
// The query bar: completion while the person writes, and errors at their column.

import { completions } from "./completion.js";
import { $, el } from "./dom.js";

/** The query bar. `onRun(text)` is called with each query to run. */
export class QueryBar {
  constructor(onRun) {
    this.field = $("query");
    this.list = $("completions");
    this.onRun = onRun;
    this.found = [];
    this.chosen = -1;
    $("query-form").addEventListener("submit", (event) => { event.preventDefault(); this.run(); });
    this.field.addEventListener("input", () => { this.suggest(); this.onText?.(this.text); });
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => setTimeout(() => this.close(), 120));
  }

  /** Shows the query of a class. */
  show(classes, name, text) {
    this.classes = classes;
    this.name = name;
    this.field.value = text;
    document.querySelector(".query-name").textContent = name;
    this.clear();
    this.close();
    this.onText?.(this.text);
  }

  /** The query that is written. */
  get text() { return this.field.value.trim(); }

  run() {
    this.close();
    this.onRun(this.text);
  }

  /** Shows a mistake under the query, at its column. */
  fail(error) {
    const text = this.field.value;
    const box = $("query-error");
    this.field.classList.add("wrong");
    box.replaceChildren();
    if (error.column) {
      const characters = [...new Intl.Segmenter().segment(text)].map((part) => part.segment);
      const at = Math.min(error.column - 1, characters.length);
      box.append(el("pre", { "data-column": error.column },
        characters.slice(0, at).join(""),
        el("mark", {}, characters[at] ?? " "), characters.slice(at + 1).join("")));
    }
    box.append(error.message, error.remedy ? ` ${error.remedy}` : "");
    box.hidden = false;
  }

  clear() {
    this.field.classList.remove("wrong");
    $("query-error").hidden = true;
  }

  suggest() {
    const before = this.field.value.slice(0, this.field.selectionStart);
    const inText = ((before.match(/'/g) ?? []).length % 2) === 1;
    const { word, found } = inText || !this.classes ? { word: "", found: [] }
      : completions(this.classes, this.name, before);
    this.word = word;
    this.found = found.slice(0, 40);
    this.chosen = word ? 0 : -1;
    this.draw();
  }

  draw() {
    this.list.hidden = this.found.length === 0;
    this.field.setAttribute("aria-expanded", !this.list.hidden);
    this.list.replaceChildren(...this.found.map(({ text, note }, index) => el("li", {
      id: `completion-${index}`, role: "option", "aria-selected": index === this.chosen,
      onmousedown: (event) => { event.preventDefault(); this.accept(index); },
    }, text, el("small", {}, note))));
    if (this.chosen >= 0) this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant",
      this.chosen >= 0 ? `completion-${this.chosen}` : "");
  }

  accept(index) {
    const end = this.field.selectionStart;
    const { text } = this.found[index];
    const start = end - this.word.length;
    const space = /[('.]$|\)$|'$/.test(text) ? "" : " ";
    this.field.setRangeText(text + space, start, end, "end");
    const inside = text.match(/('')|\( ?\)$|, \)$/);
    if (inside) this.field.selectionStart = this.field.selectionEnd = start + text.length - 1;
    if (inside) this.close(); else this.suggest();
  }

  close() {
    this.found = [];
    this.chosen = -1;
    this.draw();
  }

  key(event) {
    const isOpen = !this.list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!isOpen) this.suggest();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (this.found.length) {
        this.chosen = (this.chosen + step + this.found.length) % this.found.length;
      }
      this.draw();
    } else if (event.key === "Tab" && isOpen && !event.shiftKey) {
      this.accept(Math.max(this.chosen, 0));
    } else if (event.key === "Enter" && isOpen && this.chosen >= 0) {
      this.accept(this.chosen);
    } else if (event.key === "Escape") {
      if (!isOpen) { $("grid").focus(); return; }
      this.close();
    } else if (event.key === " " && event.ctrlKey) {
      this.suggest();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
