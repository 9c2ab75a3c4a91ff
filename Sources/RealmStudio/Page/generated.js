// SPDX-License-Identifier: Apache-2.0
// Primary keys for new objects, as an app would generate them.

import { read } from "./api.js";

const hexadecimal = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** A new identifier with the present second, as apps make them. */
function objectId() {
  const seconds = Math.floor(Date.now() / 1000).toString(16).padStart(8, "0");
  return seconds + hexadecimal(crypto.getRandomValues(new Uint8Array(8)));
}

/** A value for the primary key of a new object, which the person may change: a new identifier, or
 *  the number after the greatest one; null where only a person knows one. */
export async function generatedKey(file, schema, property) {
  if (property.type === "objectId") return { t: "objectId", v: objectId() };
  if (property.type === "uuid") return { t: "uuid", v: crypto.randomUUID() };
  if (property.type !== "int") return null;
  const index = schema.properties.findIndex((one) => one.name === property.name);
  const answer = await read(file, "rows", {
    class: schema.name, sort: property.name, descending: "true", start: 0, count: 1,
  });
  const greatest = answer.rows[0]?.cells[index];
  return { t: "int", v: greatest ? String(BigInt(greatest.v) + 1n) : "1" };
}
