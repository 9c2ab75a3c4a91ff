// SPDX-License-Identifier: Apache-2.0
// Values as the server sends them (`{t: type, v: text}`, null), shown and read.

import { el, grouped } from "./dom.js";

export const numeric = new Set(["int", "float", "double", "decimal"]);
export const scalars = [
  "string", "int", "bool", "double", "float", "decimal", "date", "data", "objectId", "uuid",
];

/** The type of a property as the schema calls it: `Dog?`, `[string]`, `{mixed}`. */
export function typeName(property) {
  const inner = (property.target ?? property.type) + (property.isOptional ? "?" : "");
  switch (property.collection) {
    case "list": return `[${inner}]`;
    case "set": return `⟨${inner}⟩`;
    case "dictionary": return `{${inner}}`;
    default: return inner;
  }
}

/** A date in UTC, with as many digits as it has. */
export function dateText(value) {
  let [seconds, nanoseconds] = value.split(":").map(Number);
  if (nanoseconds < 0) { seconds -= 1; nanoseconds += 1e9; }
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return `${value} s`;
  const text = date.toISOString().replace("T", " ").replace(/\.\d+Z$/, "");
  const fraction = String(nanoseconds).padStart(9, "0").replace(/0+$/, "");
  return fraction ? `${text}.${fraction}` : text;
}

/** The seconds and nanoseconds of a date that a person wrote; the text itself if it is none. */
export function dateValue(text) {
  const parts = text.trim().match(
    /^(-?\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?Z?$/);
  if (!parts) return text;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = ""] = parts;
  const date = new Date(0);
  date.setUTCFullYear(+year, +month - 1, +day);
  date.setUTCHours(+hour, +minute, +second);
  let seconds = Math.floor(date.getTime() / 1000);
  let nanoseconds = Number(fraction.padEnd(9, "0"));
  if (seconds < 0 && nanoseconds > 0) { seconds += 1; nanoseconds -= 1e9; }
  return `${seconds}:${nanoseconds}`;
}

/** A value as one line of text. */
export function text(cell) {
  if (cell === null) return "null";
  switch (cell.t) {
    case "date": return dateText(cell.v);
    case "data": return `${grouped(cell.n)} bytes`;
    case "list": case "set":
      return `${grouped(cell.n)} ${cell.v.length ? `· ${cell.v.map(text).join(", ")}` : ""}`
        + (cell.n > cell.v.length && cell.v.length ? ", …" : "");
    case "dictionary":
      return `${grouped(cell.n)} ${cell.v.length ? "· " : ""}`
        + cell.v.map(([key, value]) => `${key}: ${text(value)}`).join(", ")
        + (cell.n > cell.v.length && cell.v.length ? ", …" : "");
    case "string": return cell.v + (cell.n ? "…" : "");
    default: return cell.v;
  }
}

/** The text that an editor begins with. */
export function editText(cell) {
  if (cell === null) return "";
  if (cell.t === "link") return `#${cell.key}`;
  return cell.t === "date" ? dateText(cell.v) : cell.v;
}

/** A value as an element of a table or of the inspector. `isStop` says whether Tab stops at a
 *  link: in the table the arrows lead to it. */
export function show(cell, onLink, isStop = true) {
  if (cell === null) return el("span", { class: "v-null" }, "null");
  if (cell.t === "link") {
    return el("a", {
      class: "v-link", href: "#", title: `${cell.class} #${cell.key}`,
      tabindex: onLink && isStop ? 0 : -1,
      onclick: (event) => {
        event.preventDefault();
        if (onLink) { event.stopPropagation(); onLink(cell); }
      },
    }, cell.v);
  }
  const isMany = ["list", "set", "dictionary"].includes(cell.t);
  return el("span", { class: isMany ? "v-count" : `v-${cell.t}` }, text(cell));
}

/** What a person wrote for a property, as the server reads it. */
export function input(written, type, property) {
  if (type === "link") {
    const reference = written.trim();
    if (reference === "") return null;
    const target = property.target ?? reference.split("#")[0].trim();
    const key = reference.match(/#(\d+)$/);
    if (key) return { t: "link", class: target, key: key[1] };
    return { t: "link", class: target, primaryKey: reference };
  }
  return { t: type, v: type === "date" ? dateValue(written) : written };
}
