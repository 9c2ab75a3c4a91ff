// SPDX-License-Identifier: Apache-2.0
// Requests to the server that brought the page, and its events.

/** An answer that is a failure. */
export class Failure extends Error {}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch {
    throw new Failure("The server has ended.");
  }
  const json = await response.json().catch(() => ({}));
  if (!response.ok) throw new Failure(json.error ?? `The server answered with ${response.status}.`);
  return json;
}

const place = (app, ...names) =>
  ["/api/apps", ...[app, ...names].map(encodeURIComponent)].join("/");

/** The state of the whole server. */
export const overview = () => send("/api/overview");

/** The users, sessions or realms of an app. */
export function read(app, name, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return send(`${place(app, name)}?${new URLSearchParams(given)}`);
}

/** Asks for an action at an address: the id of an app, and the names that follow. */
export function post(names, content) {
  return send(place(...names), {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content),
  });
}

/** Does something with a user (disable, enable, logout, delete) or a trigger (suspend, resume). */
export const act = (...names) => post(names, {});

/** Calls `onState` with each new state of the server, and `onLive` with whether it is connected. */
export function listen(onState, onLive) {
  const source = new EventSource("/api/events");
  source.onopen = () => onLive(true);
  source.onerror = () => onLive(false);
  source.onmessage = (message) => onState(JSON.parse(message.data));
}
