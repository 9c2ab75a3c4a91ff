// SPDX-License-Identifier: Apache-2.0
// The first view: the whole server in numbers, its latencies, and the last errors.

import { el, fact, grouped, table } from "./dom.js";
import { bytes, local, rate, seconds, since } from "./format.js";

const perSecond = (value) => (value === null ? "–" : value.toFixed(value < 10 ? 1 : 0));

function facts(state, before) {
  const time = before ? state.receivedAt - before.receivedAt : 0;
  const [now, then] = [state.totals, before?.totals];
  const sum = (name) => state.apps.reduce((total, app) => total + app[name], 0);
  const behind = sum("behind");
  return el("div", { class: "facts" },
    fact(grouped(now.openConnections), "connections"),
    fact(grouped(sum("openSessions")), "open sessions"),
    fact(grouped(behind), "behind at this moment"),
    fact(perSecond(rate(then?.uploads, now.uploads, time)), "uploads in a second"),
    fact(perSecond(rate(then?.downloads, now.downloads, time)), "downloads in a second"),
    fact(bytes(rate(then?.receivedBytes, now.receivedBytes, time)), "received in a second"),
    fact(bytes(rate(then?.sentBytes, now.sentBytes, time)), "sent in a second"),
    fact(bytes(state.memory.used), `of ${bytes(state.memory.limit)} for clients`,
      state.memory.used > state.memory.limit / 2),
    fact(bytes(state.memory.processUsed), `of memory, and ${bytes(state.memory.processFree)} free`),
    fact(bytes(state.server.diskFree), "free on the disk", state.server.diskFree < 2 ** 30),
    fact(grouped(state.errors), "errors since the start", state.errors > 0));
}

/** A sentence about the backups that the server makes by itself; empty if it makes none. */
function backups({ backups }) {
  if (!backups) return [];
  const last = backups.last ? `The last backup is that of ${local(backups.last)}`
    : "There is no backup yet";
  const failure = backups.failure ? `, and the last attempt failed: ${backups.failure}` : "";
  return [el("p", { class: backups.failure ? "bad" : "hint" },
    `${last}, in ${backups.folder}${failure}`)];
}

function latencies(state) {
  const names = { upload: "an upload until it is on the disk", download: "making a download",
    request: "a request of HTTP" };
  return table(
    ["", ["count", "right"], ["half take up to", "right"], ["95 %", "right"], ["99 %", "right"]],
    Object.entries(state.latencies).map(([name, times]) => ({
      cells: [names[name] ?? name, [grouped(times.count), "right"], [seconds(times.p50), "right"],
        [seconds(times.p95), "right"], [seconds(times.p99), "right"]],
    })));
}

/** What is searched for in the messages: it stays when the view is drawn again. */
let wanted = "";

function log(state) {
  if (state.notices.length === 0) return el("p", { class: "hint" }, "No warnings and no errors.");
  const list = el("div", {});
  const show = () => {
    const found = state.notices.filter(({ text }) => text.toLowerCase().includes(wanted));
    list.replaceChildren(found.length === 0
      ? el("p", { class: "hint" }, "No message has this text.")
      : table(["time", "level", "message"], found.map((notice) => ({
        style: notice.level, cells: [local(notice.time), notice.level, notice.text],
      }))));
  };
  show();
  return el("div", {}, el("input", { id: "log-search", type: "search", value: wanted,
    placeholder: "A part of a message", "aria-label": "Search messages", spellcheck: false,
    oninput: (event) => { wanted = event.target.value.trim().toLowerCase(); show(); },
  }), list);
}

/** The elements of the view. */
export function overviewView(state, before) {
  const end = state.server.certificateEnd
    ? `, with a certificate until ${local(state.server.certificateEnd)}` : "";
  const restored = state.server.restored
    ? `, restored from the backup of ${local(state.server.restored.backup)}` : "";
  return [
    el("h1", {}, "Overview"),
    el("p", { class: "hint" }, `Version ${state.server.version}, running for `
      + `${since(state.server.started)}${end}${restored}`),
    ...backups(state.server),
    facts(state, before),
    el("h2", {}, "Latencies"), latencies(state),
    el("h2", {}, "Warnings and errors"), log(state),
  ];
}
