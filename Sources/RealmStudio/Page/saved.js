// SPDX-License-Identifier: Apache-2.0
// Queries that the browser keeps for each file and class.

import { $, el } from "./dom.js";

/** The list of saved queries beside the query bar. */
export class SavedQueries {
  /** `onChoose(text)` is called with a chosen query, `present()` gives that of the query bar. */
  constructor(onChoose, present) {
    this.list = $("saved");
    this.list.addEventListener("change", () => {
      const text = this.list.value;
      this.list.selectedIndex = 0;
      if (text) onChoose(text);
    });
    $("save-query").addEventListener("click", () => this.toggle(present()));
  }

  /** Shows the queries of a class. */
  show(path, name) {
    this.place = `queries ${path} ${name}`;
    this.draw();
  }

  get queries() { return JSON.parse(localStorage.getItem(this.place) ?? "[]"); }

  /** Keeps a query, or forgets one that is kept. */
  toggle(text) {
    if (!text) return;
    const rest = this.queries.filter((one) => one !== text);
    const all = rest.length === this.queries.length ? [text, ...rest].slice(0, 50) : rest;
    localStorage.setItem(this.place, JSON.stringify(all));
    this.draw();
    this.mark(text);
  }

  /** Shows whether the query of the bar is kept. */
  mark(text) {
    const isKept = this.queries.includes(text);
    $("save-query").textContent = isKept ? "★" : "☆";
    $("save-query").setAttribute("aria-pressed", isKept);
    $("save-query").disabled = !text;
  }

  draw() {
    const all = this.queries;
    this.list.hidden = all.length === 0;
    this.list.replaceChildren(el("option", { value: "" }, "Saved"),
      ...all.map((text) => el("option", { value: text }, text)));
  }
}
