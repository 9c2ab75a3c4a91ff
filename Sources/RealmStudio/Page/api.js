// SPDX-License-Identifier: Apache-2.0
// Requests to the server that brought the page, and its events.

/** An answer that is a failure: `message`, perhaps `remedy`, and the `column` of a query. */
export class Failure extends Error {
  constructor(status, json) {
    super(json.error ?? `The server answered with ${status}.`);
    this.status = status;
    this.remedy = json.remedy;
    this.column = json.column;
    this.isDamage = json.isDamage === true;
  }
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, { error: "Studio has ended.", remedy: "Start 'realm studio' again." });
  }
  const json = await response.json().catch(() => ({}));
  if (!response.ok) throw new Failure(response.status, json ?? {});
  return json;
}

/** Reads something of a file. */
export function read(file, name, parameters = {}, signal = undefined) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return send(`/api/files/${file}/${name}?${new URLSearchParams(given)}`, { signal });
}

/** The files that are shown. */
export const files = () => send("/api/files");

/** Changes a file: begin, edit, undo, redo, commit, cancel. */
export function write(file, name, body = {}) {
  return send(`/api/files/${file}/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Calls `onEvent` with each event of the server, and `onState` with whether it is connected. */
export function listen(onEvent, onState) {
  const source = new EventSource("/api/events");
  source.onopen = () => onState(true);
  source.onerror = () => onState(false);
  source.onmessage = (message) => onEvent(JSON.parse(message.data));
}
