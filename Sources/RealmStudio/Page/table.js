// SPDX-License-Identifier: Apache-2.0
// The table: shows a window of the rows, and reads only pages near it. A scroll bar stands for all
// of them, however many there are.

import { read } from "./api.js";
import { Columns } from "./columns.js";
import { condition } from "./conditions.js";
import { $, el, grouped, notice, svg } from "./dom.js";
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
const isPinned = (column) => column.left !== undefined;

export class Table {
  /** `host`: onSelect(key), onFollow(cell), onSort(name, descending), onChart(name), onFacet(name), onEdit(edit),
   *  onBegin(), onCommit(), onFilter(condition), onFailure(error), isEditing(), path. */
  constructor(host) {
    this.host = host;
    this.box = $("grid");
    this.columns = [];
    this.funnel = el("button", { class: "funnel", tabindex: -1, title: "Filter by this value (F)",
      "aria-label": "Filter by this value" },
    svg("svg", { viewBox: "0 0 12 12", "aria-hidden": true },
      svg("path", { d: "M1 1.5h10L7.2 6v4.2l-2.4 1V6Z" })));
    this.active = { row: 0, column: 0 };
    this.box.addEventListener("scroll", () => this.scrolled());
    this.box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("click", (event) => this.click(event));
    this.box.addEventListener("dblclick", (event) => {
      if (event.target.closest("[role=gridcell]") && !event.target.closest("input, button, a")) {
        this.edit();
      }
    });
    this.box.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("[role=gridcell][data-name]");
      if (!cell || this.funnel.parentElement === cell || cell.querySelector("input")) return;
      cell.append(this.funnel);
    });
    new ResizeObserver(() => { if (this.canvas) this.arrange(); }).observe(this.box);
  }

  /** Shows the objects that a request asks for. Those of the class that are shown stay until then,
   *  and remain, dimmed, if the request fails. Returns whether it succeeded. */
  async open(file, schema, request) {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    const isOther = this.file !== file || this.request?.class !== request.class;
    if (isOther) {
      this.columnsKept = new Columns(this.host.path, schema);
      this.begin(file, schema, request);
    }
    this.box.setAttribute("aria-busy", true);
    try {
      const answer = await this.fetch(0, request, file);
      if (controller !== this.controller) return false;
      this.begin(file, schema, request);
      this.instead = undefined;
      this.dim(false);
      this.pages.set(0, answer.rows);
      this.adopt(answer);
      this.draw();
      this.host.onReady?.();
      return true;
    } catch (error) {
      if (error.name === "AbortError" || controller !== this.controller) return false;
      this.dim(!isOther);
      if (isOther) this.adopt({ total: 0 });
      this.drawSoon();
      this.host.onFailure(error);
      return false;
    } finally {
      if (controller === this.controller) this.box.setAttribute("aria-busy", false);
    }
  }

  begin(file, schema, request) {
    Object.assign(this, { file, schema, request, total: 0, top: 0 });
    this.columnsKept.schema = schema;
    this.pages = new Map();
    this.loading = new Set();
    this.active = { row: 0, column: 0 };
    this.build();
    this.box.scrollTop = 0;
  }

  /** Shows that the rows are not those of the query bar. */
  dim(isDimmed) {
    this.isDimmed = isDimmed;
    this.box.classList.toggle("dimmed", isDimmed);
    this.report();
  }

  /** Takes the properties of a class that may have got others. */
  adoptSchema(schema) {
    const names = (of) => JSON.stringify(of.properties);
    const isOther = names(schema) !== names(this.schema);
    this.schema = schema;
    this.columnsKept.schema = schema;
    if (isOther) this.arrange();
  }

  /** Shows something in the place of the rows, until the next ones are there. */
  showInstead(element) {
    this.instead = element;
    this.draw();
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
    const request = this.request;
    this.loading = new Set();
    Promise.all(wanted.map((page) => this.fetch(page, request))).then((answers) => {
      if (request !== this.request) return;
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

  fetch(page, request, file = this.file) {
    const { class: name, query, sort, descending } = request;
    return read(file, "rows", {
      class: name, query: query || undefined, sort: sort || undefined,
      descending: descending ? "true" : undefined, start: page * PAGE, count: PAGE,
    }, this.controller.signal);
  }

  async load(page) {
    if (this.pages.has(page) || this.loading.has(page)) return;
    const { request, loading } = this;
    loading.add(page);
    try {
      const answer = await this.fetch(page, request);
      if (request !== this.request) return;
      this.pages.set(page, answer.rows);
      // The pages that were not asked for longest go first.
      while (this.pages.size > PAGES_KEPT) this.pages.delete(this.pages.keys().next().value);
      this.adopt(answer);
      this.draw();
    } catch (error) {
      if (error.name !== "AbortError") notice(error);
    } finally {
      loading.delete(page);
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
  report() {
    if (this.request) this.host.onCount(this.total, this.microseconds ?? 0, this.isDimmed);
  }

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

  /** Places the columns anew, and draws the rows with them. */
  arrange() {
    this.rows.forEach((row) => row.remove());
    this.rows.clear();
    this.active.column = Math.min(this.active.column, this.schema.properties.length);
    this.drawHead();
    this.draw();
  }

  build() {
    this.layer = el("div", { class: "layer" });
    this.canvas = el("div", { class: "canvas" }, this.layer);
    this.box.replaceChildren(this.canvas);
    this.box.setAttribute("aria-colcount", this.schema.properties.length + 1);
    this.head = el("div", { class: "row head", role: "row", "aria-rowindex": 1 });
    this.layer.append(this.head);
    this.rows = new Map();
    this.drawHead();
  }

  drawHead() {
    const { sort, descending } = this.request;
    this.columns = this.columnsKept.arranged(this.box.clientWidth);
    const cells = this.columns.map((property) => {
      const isSorted = sort === property.name;
      const cell = el("div", {
        role: "columnheader", "aria-colindex": property.index + 2, "data-name": property.name,
        "aria-sort": isSorted ? (descending ? "descending" : "ascending") : "none",
        title: SORTABLE(property) ? "Click to sort" : "Collections and links are not sorted by",
      }, property.name, el("small", {}, typeName(property)),
      isSorted ? el("span", { class: "sort" }, descending ? "▼" : "▲") : null,
      CHARTED(property) ? el("button", {
        class: "plain", title: `Chart of ${property.name}`,
        "aria-label": `Chart of ${property.name}`, tabindex: -1, "data-chart": property.name,
      }, "▤") : null,
      property.collection ? null : el("button", {
        class: "plain", title: `Values of ${property.name} (V)`,
        "aria-label": `Values of ${property.name}`, tabindex: -1, "data-facet": property.name,
      }, "☰"),
      el("span", { class: "resize", onpointerdown: (event) => this.resize(event, property.name) }));
      this.place(cell, property);
      return cell;
    });
    const key = el("div", { class: "key", role: "columnheader", "aria-colindex": 1 }, "key");
    this.place(key, { width: this.columnsKept.width(""), left: 0 });
    this.head.replaceChildren(key, ...cells);
    const width = (columns) => columns.reduce((sum, column) => sum + column.width,
      this.columnsKept.width(""));
    this.canvas.style.width = `${width(this.columns)}px`;
    // What the keys move to is not to end up behind the pinned columns.
    this.box.style.scrollPaddingLeft = `${width(this.columns.filter(isPinned))}px`;
    this.report();
  }

  place(cell, column) {
    cell.style.width = `${column.width}px`;
    if (!isPinned(column)) return;
    cell.classList.add("pinned");
    cell.style.left = `${column.left}px`;
  }

  resize(event, name) {
    event.preventDefault();
    event.stopPropagation();
    const start = event.clientX - this.columnsKept.width(name);
    const move = (moved) => {
      this.columnsKept.resize(name, moved.clientX - start);
      this.arrange();
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
    if (this.instead || this.total === 0 && !this.loading.size) {
      this.box.append(this.instead ?? el("div", { class: "empty" }, "No objects"));
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
    this.place(key, { width: this.columnsKept.width(""), left: 0 });
    element.append(key);
    this.columns.forEach((property, at) => {
      const { index } = property;
      const cell = el("div", {
        class: "cell", role: "gridcell", "aria-colindex": index + 2,
        id: `cell-${position}-${at + 1}`, "data-name": property.name,
        // A property that was created meanwhile comes with the next window.
      }, row?.cells[index] !== undefined ? show(row.cells[index], this.host.onFollow, false) : "");
      if (numeric.has(property.type) && !property.collection) cell.classList.add("right");
      if (before && JSON.stringify(before[index]) !== JSON.stringify(row.cells[index])) {
        cell.classList.add("flash");
      }
      this.place(cell, property);
      element.append(cell);
    });
    return element;
  }

  // The person

  get current() { return this.row(this.active.row); }

  /** The column of the active cell; undefined for that of the keys. */
  get column() { return this.columns[this.active.column - 1]; }

  select(row, column = this.active.column, isFollowed = true) {
    this.active = {
      row: Math.max(0, Math.min(row, this.total - 1)),
      column: Math.max(0, Math.min(column, this.columns.length)),
    };
    this.reveal(this.active.row);
    const cell = document.getElementById(`cell-${this.active.row}-${this.active.column}`);
    if (!cell?.classList.contains("pinned")) {
      cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    if (isFollowed && this.current) this.host.onSelect(this.current.key);
  }

  click(event) {
    const chart = event.target.closest("[data-chart]");
    if (chart) return this.host.onChart(chart.dataset.chart);
    const facet = event.target.closest("[data-facet]");
    if (facet) return this.host.onFacet(facet.dataset.facet);
    const head = event.target.closest("[role=columnheader]");
    if (head) return this.sort(head.dataset.name);
    const cell = event.target.closest("[role=gridcell]");
    if (!cell || event.target.closest("input, select")) return undefined;
    const [, row, column] = cell.id.split("-").map(Number);
    if (event.target.closest(".funnel")) return this.filter(row, column);
    return this.select(row, column);
  }

  /** Narrows the query to the objects that have the value of a cell. */
  filter(row, column) {
    const property = this.columns[column - 1];
    const cell = this.row(row)?.cells[property?.index];
    if (cell === undefined) return;
    const found = condition(property, cell);
    if (found) this.host.onFilter(found);
    else notice(new Error(`A query has no condition for this value of '${property.name}'.`));
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
    // With Control a letter is the page's or the browser's.
    if (event.ctrlKey && event.key.length === 1) return;
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
    else if (event.key === "s" && column > 0) this.sort(this.column.name);
    else if (event.key === "h" && column > 0) this.host.onChart(this.column.name);
    else if (event.key === "v" && column > 0) this.host.onFacet(this.column.name);
    else if (event.key === "f" && column > 0) this.filter(row, column);
    else return;
    event.preventDefault();
  }

  enter() {
    const cell = this.current?.cells[this.column?.index];
    if (cell?.t === "link" && !this.host.isEditing()) this.host.onFollow(cell);
    else if (this.host.isEditing()) this.edit();
    else if (this.current) this.host.onSelect(this.current.key, true);
  }

  /** Opens an editor in the active cell; begins a transaction if none is open. */
  async edit() {
    const key = this.current?.key;
    const property = this.column;
    if (key === undefined || !property) return;
    const isFixed = property.name === this.schema.primaryKey;
    if (!isFixed && !this.host.isEditing() && !await this.host.onBegin()) return;
    const row = this.current;
    if (row?.key !== key || this.column?.name !== property.name) return;
    const value = row.cells[property.index];
    if (isFixed || property.collection || property.type === "mixed" || value?.n) {
      this.host.onSelect(key, true);
      return;
    }
    const cell = document.getElementById(`cell-${this.active.row}-${this.active.column}`);
    const field = el("input", { "aria-label": property.name });
    const old = editText(value);
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
      if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        finish(true).then(() => this.host.onCommit());
      }
      if (event.key === "Enter") finish(true);
      if (event.key === "Escape") finish(false);
    });
    field.addEventListener("blur", () => finish(true));
    cell.append(field);
    field.focus();
    field.select();
  }
}

export const summary = (total, microseconds, isDimmed) => [
  el("span", {}, el("b", { id: "total" }, grouped(total)), total === 1 ? " object" : " objects",
    isDimmed ? " of the query before" : ""),
  el("span", { id: "window-time" }, `window in ${(microseconds / 1000).toFixed(1)} ms`),
];
