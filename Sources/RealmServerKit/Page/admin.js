// SPDX-License-Identifier: Apache-2.0
// The page of a server: what is shown, and what follows when the server tells of a new state.

import { TABS, appView, renewFacts } from "./app.js";
import { $, attempt, el } from "./dom.js";
import { overviewView } from "./overview.js";
import { listen, overview } from "./server.js";

let state;
let before;
/** What the shown view remembers: the search, the place in a list. */
let memory = {};

/** The view that the address names: an app with a tab, or the overview. */
function route() {
  const [app, tab] = location.hash.slice(1).split("/").map(decodeURIComponent);
  return { app: app || undefined, tab: tab in TABS ? tab : "sessions" };
}

function drawNavigation() {
  const { app } = route();
  if (app === undefined) $("overview-link").setAttribute("aria-current", "page");
  else $("overview-link").removeAttribute("aria-current");
  $("app-list").replaceChildren(...state.apps.map((item) => el("a", {
    href: `#${encodeURIComponent(item.id)}/sessions`,
    "aria-current": item.id === app ? "page" : undefined, "data-app": item.id,
  }, el("span", {}, item.name), el("span", {}, String(item.connections)))));
}

/** Draws the view of the address. A field stays under the hands of whoever types into it. */
function draw() {
  const active = document.activeElement;
  const typed = active?.localName === "input" && active.id
    ? { id: active.id, start: active.selectionStart, end: active.selectionEnd } : undefined;
  drawView();
  const field = typed && $(typed.id);
  if (!field) return;
  field.focus();
  field.setSelectionRange(typed.start, typed.end);
}

function drawView() {
  drawNavigation();
  const { app, tab } = route();
  const known = state.apps.find((item) => item.id === app);
  if (app !== undefined && !known) {
    $("content").replaceChildren(el("p", { class: "hint" }, `There is no app "${app}".`));
    return;
  }
  $("content").replaceChildren(
    ...(known ? appView(known, tab, memory, state.server.edits) : overviewView(state, before)));
  if (known) memory.reload();
}

/** Takes a new state of the server. */
function take(next) {
  before = state;
  state = { ...next, receivedAt: performance.now() };
  $("version").textContent = state.server.version;
  const { app, tab } = route();
  const known = state.apps.find((item) => item.id === app);
  if (!before || !known) {
    draw();
  } else {
    // A list with a search, or a button under the mouse, stays where it is.
    drawNavigation();
    renewFacts(known);
    if (tab === "sessions") memory.reload?.();
  }
  document.body.dataset.ready = "true";
}

function beginThemes() {
  const names = { "": "◐", light: "☀", dark: "☾" };
  const show = (theme) => {
    const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    $("theme").textContent = names[theme];
    $("theme").dataset.theme = theme;
  };
  show(localStorage.getItem("theme") ?? "");
  $("theme").addEventListener("click", () => {
    const all = Object.keys(names);
    const next = all[(all.indexOf($("theme").dataset.theme) + 1) % all.length];
    localStorage.setItem("theme", next);
    show(next);
  });
}

beginThemes();
// The token is in a cookie now: it does not stay in the address and in the history.
history.replaceState(null, "", location.pathname + location.hash);
addEventListener("hashchange", () => {
  memory = {};
  if (state) draw();
});
listen(take, (isLive) => {
  $("live").classList.toggle("on", isLive);
  $("live").title = isLive ? "Connected" : "Not connected";
});
attempt(async () => { if (!state) take(await overview()); });
