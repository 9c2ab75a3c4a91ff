// SPDX-License-Identifier: Apache-2.0

// A webhook of realm-server: the functions of an app, in JavaScript, with what Node has.
//
//     node webhook.mjs PORT SECRETFILE
//
// Each path is a function; the server calls it with POST, and signs what it sends.
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [port, secretFile] = process.argv.slice(2);
const secret = Buffer.from(readFileSync(secretFile, "utf8").replace(/[\r\n]+$/, ""));

/** A number of extended JSON as one of JavaScript; other values as they are. */
function plain(value) {
  const number = value?.$numberInt ?? value?.$numberLong ?? value?.$numberDouble;
  return number === undefined ? value : Number(number);
}

const functions = {
  /** What a client calls as user.functions.sum(1, 2). */
  "/sum": (call) => call.arguments.map(plain).reduce((left, right) => left + right, 0),
  /** The function of a trigger: its argument is the event. */
  "/welcome": (call) => {
    console.log("new:", call.arguments[0].fullDocument.name);
    return null;
  },
};

/** Whether the server signed the body, in the last five minutes. */
function isSigned(header, body) {
  const parts = Object.fromEntries(header.split(",").map((part) => part.split("=", 2)));
  if (!/^\d+$/.test(parts.t ?? "") || Math.abs(Date.now() / 1000 - Number(parts.t)) > 300) return false;
  const expected = createHmac("sha256", secret).update(`${parts.t}.`).update(body).digest("hex");
  const given = Buffer.from(parts.v1 ?? "");
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
}

const server = createServer(async (request, response) => {
  const answer = (status, value) => {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(value));
  };
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isSigned(request.headers["realm-signature"] ?? "", body)) {
    return answer(401, { error: "not signed by the server" });
  }
  const call = functions[request.url];
  if (!call) return answer(404, { error: "no such function" });
  try {
    answer(200, call(JSON.parse(body)));
  } catch (error) {
    answer(400, { error: `bad arguments: ${error.message}` });
  }
});
server.listen(Number(port), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
