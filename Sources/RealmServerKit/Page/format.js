// SPDX-License-Identifier: Apache-2.0
// Numbers and times for people.

/** A number of bytes with a unit. */
export function bytes(count) {
  if (count === null || count === undefined) return "–";
  if (count < 1024) return `${Math.round(count)} bytes`;
  let value = count / 1024;
  for (const unit of ["KiB", "MiB", "GiB"]) {
    if (value < 1024) return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
    value /= 1024;
  }
  return `${value.toFixed(1)} TiB`;
}

/** A duration that the server gives in seconds. */
export function seconds(value) {
  if (value === null || value === undefined) return "–";
  return value < 1 ? `${(value * 1000).toFixed(value < 0.01 ? 1 : 0)} ms` : `${value.toFixed(1)} s`;
}

/** The time since a point in time. */
export function since(text, now = Date.now()) {
  const minutes = Math.max(0, Math.floor((now - Date.parse(text)) / 60000));
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / 1440)} days`;
}

/** A point in time as the person's clock has it. */
export const local = (text) => new Date(text).toLocaleString();

/** How often something happens in a second, from two counts and the milliseconds between them. */
export function rate(before, after, milliseconds) {
  if (before === undefined || milliseconds <= 0) return null;
  return Math.max(0, after - before) * 1000 / milliseconds;
}
