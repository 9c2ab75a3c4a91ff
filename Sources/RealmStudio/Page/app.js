// SPDX-License-Identifier: Apache-2.0
// The page as a whole: which file, class, query and object are shown. That state is the address, so
// back and forward are the browser's.

import { files, listen, read } from "./api.js";
import { drawChart } from "./chart.js";
import { drawDiagram } from "./diagram.js";
import { drawFacet } from "./facet.js";
import { $, attempt, el, grouped, notice } from "./dom.js";
import { chooseColumns } from "./columns.js";
import { narrowed } from "./conditions.js";
import { Editing } from "./editing.js";
import { Inspector } from "./inspector.js";
import { showHelp, startKeys, startTheme } from "./keys.js";
import { QueryBar } from "./query.js";
import { resultTools } from "./result.js";
import { SavedQueries } from "./saved.js";
import { showStatistics } from "./statistics.js";
import { summary, Table } from "./table.js";

/** What is shown: file, class, query, sort, descending, object, view ("table" or "diagram"). */
let state = {};
let allFiles = [];
let classes = new Map();
/** The property whose values the panel above the table shows, and how: "chart" or "facet". */
let charted;
let shownTable = "";

const host = {
  get file() { return state.file; },
  get path() { return allFiles[state.file].path; },
  get classes() { return classes; },
  isEditing: () => editing.isOpen,
  onSelect: (key, isFocused) => {
    if (state.object !== `${state.class}:${key}`) {
      go({ object: `${state.class}:${key}` }, { replaces: true });
    }
    if (isFocused) $("inspector").querySelector("a, button")?.focus();
  },
  onFollow: (cell) => follow(cell),
  onSort: (sort, descending) => go({ sort, descending }),
  onChart: (name) => chart(name, "chart"),
  onFacet: (name) => chart(name, "facet"),
  onEdit: (edit) => attempt(() => editing.edit(edit)),
  onBegin: () => attempt(() => editing.require()),
  onCommit: () => attempt(() => editing.end("commit")),
  onFilter: (condition) => go({ query: narrowed(table.request.query ?? "", condition) }),
  onFailure: (error) => {
    if (error.isDamage) showDamage(error);
    else if (error.column || state.query) query.fail(error); else notice(error);
  },
  onCount: (...counts) => {
    $("counts").replaceChildren(...summary(...counts));
    const hidden = table.columnsKept.hiddenCount;
    $("columns").textContent = hidden ? `Columns (${hidden} hidden)` : "Columns";
  },
  onReady: () => query.clear(),
};
const table = new Table(host);
const inspector = new Inspector(host);
const query = new QueryBar((text) => {
  if (text === (state.query ?? "")) table.open(state.file, classes.get(state.class), request());
  else go({ query: text });
});
const saved = new SavedQueries((text) => go({ query: text }), () => query.text);
query.onText = (text) => saved.mark(text);
const editing = new Editing(host, {
  onChange: async () => {
    await loadSchema();
    if (!classes.has(state.class)) await render(state);
    table.refresh();
    inspector.refresh();
    redrawChart();
  },
  onClass: (name) => go({ class: name, query: "", sort: undefined, object: undefined,
    view: undefined }),
  onCreated: (key) => go({ query: "", sort: undefined, object: `${state.class}:${key}` }),
  selected: () => (state.object?.startsWith(`${state.class}:`) ? state.object : undefined),
  schema: () => classes.get(state.class),
  classes: () => classes,
});

// The address

const request = () => ({
  class: state.class, query: state.query, sort: state.sort, descending: state.descending,
});

function address(of) {
  const parts = Object.entries(of).filter(([, value]) => value !== undefined && value !== ""
    && value !== false);
  return `/#${new URLSearchParams(parts)}`;
}

function fromAddress() {
  const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const file = Number(given.file ?? 0);
  return { ...given, file: allFiles[file] ? file : 0, descending: given.descending === "true" };
}

/** Goes to another state; `replaces` keeps the number of steps back as it is. */
function go(change, { replaces = false } = {}) {
  const next = { ...state, ...change };
  if (replaces) history.replaceState(null, "", address(next));
  else history.pushState(null, "", address(next));
  return attempt(() => render(next));
}

function follow(cell) {
  const isSame = cell.class === state.class;
  return go({
    class: cell.class, object: `${cell.class}:${cell.key}`, view: undefined,
    ...(isSame ? {} : { query: "", sort: undefined, descending: false }),
  });
}

// Drawing

async function render(next) {
  const isOtherFile = next.file !== state.file;
  state = next;
  if (isOtherFile) await loadSchema();
  if (!classes.has(state.class)) {
    state.class = ([...classes.values()].find((one) => !one.isEmbedded)
      ?? [...classes.values()][0])?.name;
  }
  drawClasses();
  const isDiagram = state.view === "diagram";
  $("diagram").hidden = !isDiagram;
  $("grid").hidden = isDiagram;
  $("query-form").hidden = isDiagram;
  $("chart").hidden = isDiagram || !charted;
  $("inspector").hidden = isDiagram;
  $("diagram-toggle").setAttribute("aria-pressed", isDiagram);
  if (isDiagram) drawDiagram([...classes.values()], (name) => go({ class: name, view: undefined,
    query: "", sort: undefined, object: undefined }));
  $("table-tools").hidden = isDiagram;
  if (isDiagram) $("counts").replaceChildren(`${classes.size} classes`);
  else table.report();
  const schema = classes.get(state.class);
  const wanted = JSON.stringify([state.file, request()]);
  if (schema && wanted !== shownTable) {
    const isOtherClass = JSON.parse(shownTable || "[0,{}]")[1].class !== state.class;
    shownTable = wanted;
    saved.show(host.path, state.class);
    query.show(classes, state.class, state.query ?? "");
    if (isOtherClass || isOtherFile) closeChart();
    if (await table.open(state.file, schema, request())) redrawChart();
  }
  const [name, key] = (state.object ?? "").split(":");
  inspector.open(classes.has(name) ? { class: name, key } : undefined);
  if (name === state.class && table.current?.key !== key) await reveal(key);
  document.title = `${state.class ?? "empty"} · ${allFiles[state.file]?.name ?? "Realm Studio"}`;
}

/** Scrolls the table to an object. */
async function reveal(key) {
  const { class: name, query: text, sort, descending } = request();
  const answer = await read(state.file, "position", { class: name, key, query: text || undefined,
    sort: sort || undefined, descending: descending ? "true" : undefined }).catch(() => ({}));
  if (Number.isInteger(answer.position)) table.select(answer.position, undefined, false);
}

async function loadSchema() {
  const schema = await read(state.file, "schema");
  classes = new Map(schema.classes.map((one) => [one.name, one]));
  if (table.file === state.file && classes.has(table.schema?.name)) {
    table.adoptSchema(classes.get(table.schema.name));
  }
  query.classes = classes;
  editing.show(allFiles[state.file], schema.draft);
  showVersion(schema.version);
  drawClasses();
}

function showVersion(version) {
  $("version").textContent = `version ${version}`;
}

function drawClasses() {
  const link = (schema) => el("a", {
    href: address({ file: state.file, class: schema.name }),
    class: schema.isEmbedded ? "embedded" : null,
    "aria-current": schema.name === state.class && state.view !== "diagram" ? "true" : null,
    "data-class": schema.name,
    onclick: (event) => {
      event.preventDefault();
      go({ class: schema.name, query: "", sort: undefined, descending: false, object: undefined,
        view: undefined });
    },
  }, el("span", {}, schema.name), schema.count === null
    ? el("span", { class: "damaged", title: "The class is damaged" }, "damaged")
    : el("span", {}, grouped(schema.count)));
  const groups = [["Classes", (one) => !one.isEmbedded], ["Embedded", (one) => one.isEmbedded]];
  const focused = document.activeElement?.dataset?.class;
  const wanted = $("class-filter").value.trim().toLowerCase();
  const found = [...classes.values()].filter((one) => one.name.toLowerCase().includes(wanted));
  $("class-list").replaceChildren(...groups.flatMap(([title, belongs]) => {
    const members = found.filter(belongs);
    return members.length ? [el("h2", {}, title), ...members.map(link)] : [];
  }), found.length || !classes.size ? "" : el("p", { class: "hint" }, "No class has this name."));
  if (focused) document.querySelector(`nav a[data-class="${CSS.escape(focused)}"]`)?.focus();
}

/** Shows in the place of the objects why they cannot be read, and what can be saved of them. */
async function showDamage(error) {
  const box = el("div", { class: "empty damage", role: "alert" }, el("b", {}, "Damaged"),
    el("p", {}, error.message), el("p", {}, error.remedy));
  table.showInstead(box);
  const name = state.class;
  await attempt(async () => {
    const found = (await read(state.file, "salvageable")).find((one) => one.name === name);
    const lost = found?.lost ? `, ${grouped(found.lost)} are lost` : "";
    box.append(el("p", { id: "salvageable" }, found
      ? `A salvage would save ${grouped(found.saved)} objects of ${name}${lost}.`
      : `A salvage would save no object of ${name}.`));
  });
}

// Charts

function closeChart() {
  charted = undefined;
  $("chart").hidden = true;
}

async function chart(name, kind) {
  const property = classes.get(state.class)?.properties.find((one) => one.name === name);
  if (!property) return closeChart();
  return attempt(async () => {
    const given = { class: state.class, property: name, query: state.query || undefined };
    if (kind === "chart") {
      const data = await read(state.file, "histogram", { ...given, bins: 40 });
      drawChart(property, data, (condition) => go({ query: condition }), closeChart);
    } else {
      drawFacet(property, await read(state.file, "facet", given), host.onFilter, closeChart);
    }
    charted = { name, kind };
  });
}

const redrawChart = () => (charted ? chart(charted.name, charted.kind) : undefined);

// Live

let waiting;

function heard(event) {
  if (event.file !== undefined && event.file !== state.file) return;
  if (event.kind === "failure") notice(new Error(event.error));
  if (event.kind === "version") {
    showVersion(event.version);
    for (const one of event.classes) {
      const schema = classes.get(one.name);
      if (schema) schema.count = one.count;
    }
    drawClasses();
  }
  // Many commits in a short time are shown together.
  if (event.kind === "version" || event.kind === "draft") {
    waiting ??= setTimeout(catchUp, 120, event);
  }
}

async function catchUp(event) {
  waiting = undefined;
  await attempt(async () => {
    if (event.schemaChanged || event.kind === "draft") await loadSchema();
    table.refresh();
    inspector.refresh();
    await redrawChart();
  });
}

async function start() {
  startTheme();
  allFiles = await files();
  $("file").replaceChildren(...allFiles.map((file) => el("option", { value: file.id,
    title: file.path }, file.name + (file.isEncrypted ? " (encrypted)" : ""))));
  $("file").addEventListener("change", () => go({ file: Number($("file").value), class: undefined,
    query: "", sort: undefined, object: undefined }));
  $("back").addEventListener("click", () => history.back());
  $("forward").addEventListener("click", () => history.forward());
  $("help").addEventListener("click", showHelp);
  $("version").addEventListener("click", () => attempt(() => showStatistics(state.file)));
  $("class-filter").addEventListener("input", drawClasses);
  $("class-filter").addEventListener("keydown", (event) => {
    if (event.key === "Enter") $("class-list").querySelector("a")?.click();
    if (event.key !== "Escape") return;
    $("class-filter").value = "";
    drawClasses();
    $("grid").focus();
  });
  $("columns").addEventListener("click", () => chooseColumns(table.columnsKept,
    () => table.arrange()));
  $("table-tools").prepend(...resultTools(table));
  const toggle = () => go({ view: state.view === "diagram" ? undefined : "diagram" });
  $("diagram-toggle").addEventListener("click", toggle);
  startKeys({ toggle, editing });
  addEventListener("beforeunload", (event) => { if (editing.hasEdits) event.preventDefault(); });
  addEventListener("popstate", () => attempt(async () => {
    await render(fromAddress());
    $("file").value = state.file;
  }));
  // The token is in a cookie now: it does not stay in the address and in the history.
  const first = fromAddress();
  history.replaceState(null, "", address(first));
  await render(first);
  $("file").value = state.file;
  listen(heard, (isOn) => {
    $("live").classList.toggle("on", isOn && allFiles[state.file].isLive);
    $("live").title = !isOn ? "Studio does not answer" : allFiles[state.file].isLive
      ? "Live: commits of all programs are shown" : "The file cannot be followed from here";
  });
  document.body.dataset.ready = "true";
  $("grid").focus();
}

attempt(start);
