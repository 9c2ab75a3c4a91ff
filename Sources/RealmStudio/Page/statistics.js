// SPDX-License-Identifier: Apache-2.0
// The dialog with the figures of a file, and with who keeps its old versions.

import { read } from "./api.js";
import { $, el, grouped } from "./dom.js";

function bytes(count) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let value = count, unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit ? value.toFixed(1) : grouped(value)} ${units[unit]}`;
}

function holders(held) {
  if (!held.holders.length) return [`process ${held.processes.join(", ") || "unknown"}`];
  return held.holders.map((one) =>
    `process ${one.process}, thread ${one.thread}: ${one.call}, ${grouped(one.seconds)} s ago`);
}

/** Shows the figures of a file. */
export async function showStatistics(file) {
  const answer = await read(file, "statistics");
  const rows = [
    ["Version", grouped(answer.version)], ["File", bytes(answer.bytes)],
    ["Used", bytes(answer.usedBytes)], ["Free", bytes(answer.freeBytes)],
    ["Kept by old versions", bytes(answer.pinnedBytes)],
    ...answer.pinnedVersions.flatMap((held) => holders(held).map((text) =>
      [`Version ${held.version}${held.newerVersions ? `, ${held.newerVersions} behind` : ""}`,
        text])),
  ];
  const dialog = $("dialog");
  dialog.replaceChildren(el("h2", {}, "The file"),
    el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    el("button", { class: "primary", onclick: () => dialog.close() }, "Close"));
  dialog.showModal();
}
