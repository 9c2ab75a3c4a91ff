// SPDX-License-Identifier: Apache-2.0
// The rules of an app: as its file has them, and others that the server checks. Nothing is applied.

import { attempt, el } from "./dom.js";
import { post, read } from "./server.js";

/** The answer to a check. */
function outcome(found) {
  if (!found.correct) {
    const position = found.line === null ? "" : ` (line ${found.line}, column ${found.column})`;
    return el("p", { class: "bad", role: "alert" }, found.error + position);
  }
  return el("div", {},
    el("p", {}, "The rules are correct. They count once they are in the file, and "
      + "realm-server apply was called."),
    found.misfits.map((text) => el("p", { class: "late" }, text)),
    found.explanation === null ? null : el("p", { class: "hint rules" }, found.explanation));
}

/** The text of the rules, and what a check has found. */
export async function rulesView(app, memory, reload) {
  memory.rules ??= await read(app.id, "rules");
  memory.text ??= memory.rules.text;
  const result = el("div", { id: "rules-result", "aria-live": "polite" });
  const area = el("textarea", { id: "rules-text", rows: 20, "aria-label": "Rules",
    spellcheck: false, oninput: () => { memory.text = area.value; } });
  area.value = memory.text;
  const input = (name, label) => el("input", { id: `rules-${name}`, placeholder: label,
    "aria-label": label, value: memory[name] ?? "", spellcheck: false,
    oninput: (event) => { memory[name] = event.target.value.trim(); } });
  const check = () => attempt(async () => {
    const found = await post([app.id, "rules", "check"],
      { text: memory.text, class: memory.ruleClass ?? "", user: memory.ruleUser ?? "" });
    result.replaceChildren(outcome(found));
  });
  const restore = () => {
    memory.rules = undefined;
    memory.text = undefined;
    reload();
  };
  return el("div", {},
    el("p", { class: "hint" }, `${memory.rules.file}, ${memory.rules.stage} mode. What is written `
      + "here is checked, and changes nothing."),
    area,
    el("div", { class: "group" }, input("ruleUser", "For the user with this id"),
      input("ruleClass", "and the class"),
      el("button", { id: "rules-check", onclick: check }, "Check"),
      el("button", { id: "rules-restore", onclick: restore }, "As in the file")),
    result);
}
