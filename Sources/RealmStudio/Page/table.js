// SPDX-License-Identifier: Apache-2.0
// The table: shows a window of the rows, and reads only pages near it. A scroll bar stands for all
// of them, however many there are.

import { read } from "./api.js";
import { $, el, grouped, notice } from "./dom.js";
import { editText, input, numeric, show, typeName } from "./values.js";

const ROW = 28;
const HEAD = 32;
const PAGE = 100;
const PAGES_KEPT = 30;
/** Browsers do not make elements much higher: beyond, the scroll bar is coarser than the rows. */
const HEIGHT_MAX = 8_000_000;
const SORTABLE = (property) => !property.collection && property.type !== "link";
const CHARTED = (property) => !property.collection && (numeric.has(property.type)
  || property.type === "date");

export class Table {
  /** `host`: onSelect(key), onFollow(cell), onSort(name, descending), onChart(name), onEdit(edit),
   *  onFailure(error), isEditing(). */
  constructor(host) {
    this.host = host;
    this.box = $("grid");
    this.widths = new Map();
    this.active = { row: 0, column: 0 };
    this.box.addEventListener("scroll", () => this.scrolled());
    this.box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("click", (event) => this.click(event));
    this.box.addEventListener("dblclick", () => this.edit());
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** Shows the objects that a request asks for. */
  async open(file, schema, request) {
    this.controller?.abort();
    this.controller = new AbortController();
    Object.assign(this, { file, schema, request, total: 0, top: 0 });
    this.pages = new Map();
    this.loading = new Set();
    this.active = { row: 0, column: 0 };
    this.build();
    this.box.scrollTop = 0;
    await this.load(0, true);
  }

  /** Reads everything shown once more, and marks the cells that became others. */
  refresh() {
    if (!this.request || this.refreshing) {
      this.isStale = true;
      return;
    }
    this.refreshing = true;
    this.isStale = false;
    const old = new Map();
    for (const page of this.pages.values()) for (const row of page) old.set(row.key, row.cells);
    const [first, last] = this.visible();
    const wanted = [];
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) {
      wanted.push(page);
    }
    const stale = this.pages;
    const controller = this.controller;
    this.loading = new Set();
    Promise.all(wanted.map((page) => this.fetch(page))).then((answers) => {
      if (controller !== this.controller) return;
      this.pages = new Map(wanted.map((page, index) => [page, answers[index].rows]));
      this.adopt(answers[0]);
      this.changed = { old, until: performance.now() + 1600 };
      this.draw();
    }).catch((error) => {
      this.pages = this.pages.size ? this.pages : stale;
      if (error.name !== "AbortError") this.host.onFailure(error);
    }).finally(() => {
      this.refreshing = false;
      if (this.isStale) this.refresh();
    });
  }

  // Reading

  fetch(page) {
    const { class: name, query, sort, descending } = this.request;
    return read(this.file, "rows", {
      class: name, query: query || undefined, sort: sort || undefined,
      descending: descending ? "true" : undefined, start: page * PAGE, count: PAGE,
    }, this.controller.signal);
  }

  async load(page, isFirst = false) {
    if (this.pages.has(page) || this.loading.has(page)) return;
    const controller = this.controller;
    this.loading.add(page);
    try {
      const answer = await this.fetch(page);
      if (controller !== this.controller) return;
      this.pages.set(page, answer.rows);
      // The pages that were not asked for longest go first.
      while (this.pages.size > PAGES_KEPT) this.pages.delete(this.pages.keys().next().value);
      this.adopt(answer);
      this.draw();
      if (isFirst) this.host.onReady?.();
    } catch (error) {
      if (error.name !== "AbortError") isFirst ? this.host.onFailure(error) : notice(error);
      if (isFirst && error.name !== "AbortError") { this.adopt({ total: 0 }); this.draw(); }
    } finally {
      this.loading.delete(page);
    }
  }

  adopt(answer) {
    if (answer.microseconds !== undefined) this.microseconds = answer.microseconds;
    if (answer.total !== this.total) {
      this.total = answer.total;
      this.box.setAttribute("aria-rowcount", this.total + 1);
      this.canvas.style.height = `${HEAD + Math.min(this.height, HEIGHT_MAX)}px`;
    }
    this.report();
  }

  /** Reports the number of rows, and what the last window cost. */
  report() { if (this.request) this.host.onCount(this.total, this.microseconds ?? 0); }

  row(position) { return this.pages?.get(Math.floor(position / PAGE))?.[position % PAGE]; }

  // Places: `top` is how far the rows are scrolled, in pixels of all rows one below the other.

  get height() { return this.total * ROW; }
  get room() { return Math.max(this.box.clientHeight - HEAD, ROW); }
  get isScaled() { return this.height > HEIGHT_MAX; }

  visible() {
    const first = Math.max(0, Math.floor(this.top / ROW));
    return [first, Math.min(this.total - 1, Math.ceil((this.top + this.room) / ROW))];
  }

  scrolled() {
    const position = this.box.scrollTop;
    if (this.expected !== undefined && Math.abs(this.expected - position) < 1.5) {
      this.expected = undefined;
    } else if (this.isScaled) {
      const share = position / Math.max(HEIGHT_MAX - this.room, 1);
      this.top = Math.min(share, 1) * (this.height - this.room);
    } else {
      this.top = position;
    }
    this.drawSoon();
  }

  wheel(event) {
    if (!this.isScaled || event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    this.box.scrollLeft += event.deltaX;
    this.moveTo(this.top + event.deltaY * (event.deltaMode === 1 ? ROW : 1));
  }

  moveTo(top) {
    this.top = Math.max(0, Math.min(top, this.height - this.room));
    const share = this.height > this.room ? this.top / (this.height - this.room) : 0;
    const position = this.isScaled ? share * (HEIGHT_MAX - this.room) : this.top;
    if (Math.abs(this.box.scrollTop - position) > 1) {
      this.expected = position;
      this.box.scrollTop = position;
    }
    this.draw();
  }

  reveal(position) {
    if (position * ROW < this.top) this.moveTo(position * ROW);
    else if ((position + 1) * ROW > this.top + this.room) {
      this.moveTo((position + 1) * ROW - this.room);
    } else this.draw();
  }

  // Drawing

  get columns() { return this.schema.properties; }

  width(name) {
    if (this.widths.has(name)) return this.widths.get(name);
    const property = this.columns.find((candidate) => candidate.name === name);
    if (!property) return 74;
    const usual = { bool: 84, int: 110, date: 176, string: 190, data: 110, uuid: 290 };
    return Math.max(usual[property.type] ?? 150, name.length * 8 + 60);
  }

  build() {
    this.layer = el("div", { class: "layer" });
    this.canvas = el("div", { class: "canvas" }, this.layer);
    this.box.replaceChildren(this.canvas);
    this.box.setAttribute("aria-colcount", this.columns.length + 1);
    this.head = el("div", { class: "row head", role: "row", "aria-rowindex": 1 });
    this.layer.append(this.head);
    this.rows = new Map();
    this.drawHead();
  }

  drawHead() {
    const { sort, descending } = this.request;
    const cells = this.columns.map((property, index) => {
      const isSorted = sort === property.name;
      const cell = el("div", {
        role: "columnheader", "aria-colindex": index + 2, "data-name": property.name,
        "aria-sort": isSorted ? (descending ? "descending" : "ascending") : "none",
        title: SORTABLE(property) ? "Click to sort" : "Collections and links are not sorted by",
      }, property.name, el("small", {}, typeName(property)),
      isSorted ? el("span", { class: "sort" }, descending ? "▼" : "▲") : null,
      CHARTED(property) ? el("button", {
        class: "plain", title: `Chart of ${property.name}`,
        "aria-label": `Chart of ${property.name}`, tabindex: -1, "data-chart": property.name,
      }, "▤") : null,
      el("span", { class: "resize", onpointerdown: (event) => this.resize(event, property.name) }));
      cell.style.width = `${this.width(property.name)}px`;
      return cell;
    });
    const key = el("div", { class: "key", role: "columnheader", "aria-colindex": 1 }, "key");
    key.style.width = `${this.width("")}px`;
    this.head.replaceChildren(key, ...cells);
    const total = this.columns.reduce((sum, column) => sum + this.width(column.name),
      this.width(""));
    this.canvas.style.width = `${total}px`;
  }

  resize(event, name) {
    event.preventDefault();
    event.stopPropagation();
    const start = event.clientX - this.width(name);
    const move = (moved) => {
      this.widths.set(name, Math.max(50, moved.clientX - start));
      this.rows.forEach((row) => row.remove());
      this.rows.clear();
      this.drawHead();
      this.draw();
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  }

  drawSoon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = undefined; this.draw(); });
  }

  draw() {
    if (!this.canvas) return;
    const [first, last] = this.visible();
    const shown = new Map();
    for (let position = first; position <= last; position += 1) {
      shown.set(position, this.drawRow(position));
    }
    for (const [position, element] of this.rows) if (!shown.has(position)) element.remove();
    this.rows = shown;
    this.box.querySelector(".empty")?.remove();
    if (this.total === 0 && !this.loading.size) {
      this.box.append(el("div", { class: "empty" }, "No objects"));
    }
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) {
      if (this.total) this.load(page);
    }
    if (this.changed && performance.now() > this.changed.until) this.changed = undefined;
    this.box.setAttribute("aria-activedescendant", `cell-${this.active.row}-${this.active.column}`);
  }

  drawRow(position) {
    const row = this.row(position);
    let element = this.rows.get(position);
    // A row in which the person is writing stays as it is until then.
    const isWritten = element?.source?.key === row?.key && element?.querySelector("input");
    if (!isWritten && this.isShown(row, element)) {
      element.source = row;
    } else if (!isWritten && (!element || element.source !== row)) {
      const fresh = this.makeRow(position, row);
      if (element) element.replaceWith(fresh); else this.layer.append(fresh);
      element = fresh;
    }
    element.style.top = `${HEAD + position * ROW - this.top}px`;
    const isActive = position === this.active.row;
    element.setAttribute("aria-selected", isActive);
    element.querySelector(".active")?.classList.remove("active");
    if (isActive) element.children[this.active.column]?.classList.add("active");
    return element;
  }

  /** Whether an element shows a row as it is: what did not change keeps its element. */
  isShown(row, element) {
    return row && element?.source?.key === row.key
      && JSON.stringify(element.source.cells) === JSON.stringify(row.cells);
  }

  makeRow(position, row) {
    const before = row && this.changed ? this.changed.old.get(row.key) : undefined;
    const element = el("div", { class: "row", role: "row", "aria-rowindex": position + 2 });
    element.source = row;
    if (row) element.dataset.key = row.key;
    if (row && this.changed && !before && this.changed.old.size) element.classList.add("fresh");
    const key = el("div", { class: "cell key", role: "gridcell", "aria-colindex": 1,
      id: `cell-${position}-0` }, row ? `#${row.key}` : "");
    key.style.width = `${this.width("")}px`;
    element.append(key);
    this.columns.forEach((property, index) => {
      const cell = el("div", {
        class: "cell", role: "gridcell", "aria-colindex": index + 2,
        id: `cell-${position}-${index + 1}`, "data-name": property.name,
      }, row ? show(row.cells[index], this.host.onFollow) : "");
      if (numeric.has(property.type) && !property.collection) cell.classList.add("right");
      if (before && JSON.stringify(before[index]) !== JSON.stringify(row.cells[index])) {
        cell.classList.add("flash");
      }
      cell.style.width = `${this.width(property.name)}px`;
      element.append(cell);
    });
    return element;
  }

  // The person

  get current() { return this.row(this.active.row); }

  select(row, column = this.active.column, isFollowed = true) {
    this.active = {
      row: Math.max(0, Math.min(row, this.total - 1)),
      column: Math.max(0, Math.min(column, this.columns.length)),
    };
    this.reveal(this.active.row);
    const cell = document.getElementById(`cell-${this.active.row}-${this.active.column}`);
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (isFollowed && this.current) this.host.onSelect(this.current.key);
  }

  click(event) {
    const chart = event.target.closest("[data-chart]");
    if (chart) return this.host.onChart(chart.dataset.chart);
    const head = event.target.closest("[role=columnheader]");
    if (head) return this.sort(head.dataset.name);
    const cell = event.target.closest("[role=gridcell]");
    if (!cell || event.target.closest("input, select")) return undefined;
    const [, row, column] = cell.id.split("-").map(Number);
    return this.select(row, column);
  }

  sort(name) {
    const property = this.columns.find((candidate) => candidate.name === name);
    if (!property) return this.host.onSort(undefined, false);
    if (!SORTABLE(property)) return undefined;
    const { sort, descending } = this.request;
    if (sort !== name) return this.host.onSort(name, false);
    return descending ? this.host.onSort(undefined, false) : this.host.onSort(name, true);
  }

  key(event) {
    if (event.target !== this.box || event.altKey || event.metaKey) return;
    const { row, column } = this.active;
    const page = Math.max(1, Math.floor(this.room / ROW) - 1);
    const moves = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1], PageDown: [row + page, column], PageUp: [row - page, column],
      Home: event.ctrlKey ? [0, column] : [row, 0],
      End: event.ctrlKey ? [this.total - 1, column] : [row, this.columns.length],
    };
    if (moves[event.key]) this.select(...moves[event.key]);
    else if (event.key === "Enter") this.enter();
    else if (event.key === "F2") this.edit();
    else if (event.key === " ") this.select(row, column);
    else if (event.key === "s" && column > 0) this.sort(this.columns[column - 1].name);
    else if (event.key === "h" && column > 0) this.host.onChart(this.columns[column - 1].name);
    else return;
    event.preventDefault();
  }

  enter() {
    const cell = this.current?.cells[this.active.column - 1];
    if (cell?.t === "link" && !this.host.isEditing()) this.host.onFollow(cell);
    else if (this.host.isEditing()) this.edit();
    else if (this.current) this.host.onSelect(this.current.key, true);
  }

  /** Opens an editor in the active cell. */
  edit() {
    const property = this.columns[this.active.column - 1];
    const row = this.current;
    if (!this.host.isEditing() || !row || !property) return;
    if (property.collection || property.type === "mixed" || property.name === this.schema.primaryKey
      || row.cells[this.active.column - 1]?.n) {
      this.host.onSelect(row.key, true);
      return;
    }
    const cell = document.getElementById(`cell-${this.active.row}-${this.active.column}`);
    const field = el("input", { "aria-label": property.name });
    const old = editText(row.cells[this.active.column - 1]);
    field.value = old;
    let isDone = false;
    const finish = async (isKept) => {
      if (isDone) return;
      isDone = true;
      field.remove();
      this.box.focus();
      this.drawSoon();
      if (!isKept || field.value === old) return;
      await this.host.onEdit({
        kind: "set", class: this.schema.name, key: row.key, property: property.name,
        value: field.value === "" && property.isOptional && property.type !== "string"
          ? null : input(field.value, property.type, property),
      });
    };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") finish(true);
      if (event.key === "Escape") finish(false);
    });
    field.addEventListener("blur", () => finish(true));
    cell.append(field);
    field.focus();
    field.select();
  }
}

export const summary = (total, microseconds) => [
  el("span", {}, el("b", { id: "total" }, grouped(total)), total === 1 ? " object" : " objects"),
  el("span", { id: "window-time" }, `window in ${(microseconds / 1000).toFixed(1)} ms`),
];
