// SPDX-License-Identifier: Apache-2.0
// The present result as CSV or JSON: into the clipboard, or as a file.

import { Failure } from "./api.js";
import { $, attempt, el, grouped } from "./dom.js";

/** A clipboard is for what is pasted somewhere; more is a file. */
const COPY_MAX = 100_000;

function address(table, format) {
  const { class: name, query, sort, descending } = table.request;
  const given = {
    class: name, query, sort, descending: descending ? "true" : undefined, format,
    columns: JSON.stringify(table.columns.map((one) => one.name)),
  };
  const parts = Object.entries(given).filter(([, value]) => value);
  return `/api/files/${table.file}/result?${new URLSearchParams(parts)}`;
}

async function copy(table, format) {
  if (table.total > COPY_MAX) {
    throw new Failure(0, { error: `At most ${grouped(COPY_MAX)} objects are copied.`,
      remedy: "Save them as a file, or copy fewer with LIMIT." });
  }
  const response = await fetch(address(table, format));
  if (!response.ok) throw new Failure(response.status, await response.json());
  await navigator.clipboard.writeText(await response.text());
  const note = $("result-note");
  note.textContent = `copied ${grouped(table.total)} as ${format.toUpperCase()}`;
  setTimeout(() => { note.textContent = ""; }, 4000);
}

function save(table, format) {
  const link = el("a", { href: address(table, format),
    download: `${table.request.class}.${format}` });
  document.body.append(link);
  link.click();
  link.remove();
}

/** The buttons for the result of a table. */
export function resultTools(table) {
  const button = (kind, format, action) => el("button", {
    class: "small", id: `${kind}-${format}`, "aria-label": `${kind} the result as ${format}`,
    onclick: () => attempt(async () => action(table, format)),
  }, format.toUpperCase());
  return [
    el("span", { id: "result-note", role: "status" }),
    el("span", { class: "group" }, "Copy", button("copy", "csv", copy),
      button("copy", "json", copy)),
    el("span", { class: "group" }, "Save", button("save", "csv", save),
      button("save", "json", save)),
  ];
}
