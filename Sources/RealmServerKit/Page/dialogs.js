// SPDX-License-Identifier: Apache-2.0
// Questions to the person, in the dialog of the page.

import { $, el } from "./dom.js";

/** Shows a dialog. The answer is what `answer` returns, and nothing after a cancellation. */
function ask(title, content, action, style, answer) {
  const dialog = $("dialog");
  return new Promise((resolve) => {
    const end = (value) => { dialog.close(); resolve(value); };
    dialog.oncancel = () => resolve(undefined);
    dialog.replaceChildren(
      el("h2", {}, title), ...content,
      el("div", { class: "group" },
        el("button", { class: style, id: "confirm", onclick: () => end(answer()) }, action),
        el("button", { onclick: () => end(undefined) }, "Cancel")));
    dialog.showModal();
  });
}

/** Asks before something that cannot be undone. */
export async function confirmed(question, action) {
  return (await ask(question, [], action, "danger", () => true)) === true;
}

/** Asks for texts: fields with an `id`, a `label` and a `type`. The answer has them by their ids. */
export function asked(title, fields, action) {
  const inputs = fields.map(({ id, label, type }) => el("input", { id, type, "aria-label": label,
    placeholder: label, autocomplete: "off", spellcheck: false }));
  return ask(title, [el("div", { class: "group" }, inputs)], action, undefined,
    () => Object.fromEntries(inputs.map((input) => [input.id, input.value])));
}

/** Asks for another version of a text of several lines. */
export function edited(title, text, action) {
  const area = el("textarea", { id: "edited", rows: 16, cols: 72, "aria-label": title,
    spellcheck: false });
  area.value = text;
  return ask(title, [area], action, undefined, () => area.value);
}
