// SPDX-License-Identifier: Apache-2.0
// The keys of the page, the dialog that lists them, and the theme.

import { $, attempt, el } from "./dom.js";

const KEYS = [
  ["/", "the query bar"], ["C", "the classes"], ["T", "the table"], ["I", "the inspector"],
  ["D", "the schema as a diagram"], ["Alt ← →", "back and forward"],
  ["Arrows, Page, Home, End", "move in the table; with Ctrl to the first and last row"],
  ["Enter", "follow the link of the cell, or open the object; edit while a transaction is open"],
  ["S, H, V, F", "sort by the column; its chart; its values with their numbers; filter by the value (in the table)"],
  ["E", "begin a transaction"], ["F2", "edit the cell, as a double click does"], ["N, Delete", "new object; delete it"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"], ["Ctrl S", "commit"], ["Esc", "leave what is open"],
];

/** Shows the keys. */
export function showHelp() {
  const dialog = $("dialog");
  dialog.replaceChildren(el("h2", {}, "Keys"),
    el("dl", {}, ...KEYS.flatMap(([key, what]) => [
      el("dt", {}, ...key.split(", ").flatMap((part, index) =>
        [index ? " " : "", el("kbd", {}, part)])), el("dd", {}, what)])),
    el("button", { class: "primary", onclick: () => dialog.close() }, "Close"));
  dialog.showModal();
}

function focusClass() {
  (document.querySelector("nav a[aria-current]") ?? document.querySelector("nav a"))?.focus();
}

function moveInClasses(event) {
  const links = [$("class-filter"), ...document.querySelectorAll("nav a")];
  const at = links.indexOf(document.activeElement);
  if (at < 0) return false;
  const next = event.key === "ArrowDown" ? at + 1 : event.key === "ArrowUp" ? at - 1 : -1;
  links[next]?.focus();
  return next !== -1;
}

/** Listens to the keys of the whole page. */
export function startKeys({ toggle, editing }) {
  const plain = {
    "/": () => $("query").focus(), c: focusClass, t: () => $("grid").focus(),
    i: () => ($("inspector").querySelector("a, button") ?? $("inspector")).focus(),
    d: toggle, "?": showHelp, e: () => editing.begin(), n: () => editing.create(),
    Delete: () => editing.remove(),
  };
  addEventListener("keydown", (event) => {
    const isWriting = event.target.closest?.("input, select, textarea, dialog");
    const command = event.ctrlKey || event.metaKey;
    let action;
    const letter = event.key.toLowerCase();
    if (command && !event.altKey && letter === "s" && !event.target.closest?.("dialog")) {
      action = () => editing.end("commit");
    } else if (command && !event.altKey && !isWriting) {
      if (letter === "z") action = () => editing.step(event.shiftKey ? "redo" : "undo");
    } else if (!isWriting && !event.altKey && !command) {
      if (event.key.startsWith("Arrow") && moveInClasses(event)) event.preventDefault();
      action = plain[event.key];
    }
    if (event.altKey && !command && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      action = () => (event.key === "ArrowLeft" ? history.back() : history.forward());
    }
    if (!action) return;
    event.preventDefault();
    attempt(async () => action());
  });
}

/** Shows the theme that was chosen, or the system's, and lets the button change it. */
export function startTheme() {
  const names = ["system", "light", "dark"];
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = localStorage.getItem("theme") ?? "system";
  const show = () => {
    const isDark = chosen === "dark" || (chosen === "system" && system.matches);
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    $("theme").textContent = { system: "◐ System", light: "☀ Light", dark: "☾ Dark" }[chosen];
  };
  $("theme").addEventListener("click", () => {
    chosen = names[(names.indexOf(chosen) + 1) % names.length];
    localStorage.setItem("theme", chosen);
    show();
  });
  system.addEventListener("change", show);
  show();
}
