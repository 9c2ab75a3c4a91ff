// SPDX-License-Identifier: Apache-2.0
// What can follow in a query: properties, operators, values, and words of the language.

const WORD = /[A-Za-z0-9_.@]*$/;
export const TOKENS = new RegExp([/'(?:[^'\\]|\\.)*'?/, /"(?:[^"\\]|\\.)*"?/, /[A-Za-z_@$#][\w.@$]*/,
  /-?\d[\w.:@-]*/, /[<>=!]=?/, /&&|\|\|/, /\S/].map((part) => part.source).join("|"), "g");
const WORDS_OF_START = ["NOT", "ANY", "ALL", "NONE", "TRUEPREDICATE"];
const OPERATORS = {
  string: ["==", "!=", "BEGINSWITH", "CONTAINS", "CONTAINS[c]", "ENDSWITH", "LIKE", "IN", "TEXT"],
  number: ["==", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN"],
  other: ["==", "!=", "IN"],
};
const OPERATOR = /^([<>=!]=?|BEGINSWITH|ENDSWITH|CONTAINS|LIKE|IN|BETWEEN|TEXT)$/i;
const JOINT = /^(AND|OR|NOT|&&|\|\||\(|,|ANY|ALL|NONE|SOME|!)$/i;

/** The property that a path leads to, from a class through links; undefined if there is none. */
export function resolve(classes, name, path) {
  let property;
  let owner = classes.get(name);
  for (const step of path) {
    property = owner?.properties.find((candidate) => candidate.name === step);
    if (!property) return undefined;
    owner = classes.get(property.target);
  }
  return property;
}

function properties(classes, name, word) {
  const path = word.split(".").slice(0, -1);
  const start = path.map((step) => `${step}.`).join("");
  const last = path.length ? resolve(classes, name, path) : undefined;
  if (path.length && !last) return [];
  const owner = classes.get(path.length ? last.target : name);
  const found = (owner?.properties ?? []).map((property) => ({
    text: start + property.name, note: (property.target ?? property.type)
      + (property.collection ? ` ${property.collection}` : ""),
  }));
  if (last?.collection) {
    const functions = ["@count", ...["@min", "@max", "@sum", "@avg"].filter(() => !last.target)];
    found.unshift(...functions.map((text) => ({ text: start + text, note: "of the collection" })));
  }
  return found;
}

function operators(property) {
  if (property?.collection && property.type === "link") return ["==", "!="];
  switch (property?.type) {
    case "string": return OPERATORS.string;
    case "int": case "float": case "double": case "decimal": case "date": return OPERATORS.number;
    case "mixed": return [...new Set([...OPERATORS.number, ...OPERATORS.string])];
    default: return OPERATORS.other;
  }
}

function values(property) {
  const found = [];
  if (property?.type === "bool") found.push("true", "false");
  if (property?.type === "string") found.push("''");
  if (property?.type === "date") found.push("2026-01-01@00:00:00");
  if (property?.type === "link") found.push(`obj('${property.target}', )`);
  if (property?.type === "uuid") found.push("uuid()");
  if (property?.type === "objectId") found.push("oid()");
  if (!property || property.isOptional) found.push("null");
  return found;
}

/** The completions at the end of `before`, a query about objects of a class: the `word` that they
 *  replace and `found`, the texts with notes. */
export function completions(classes, name, before) {
  const word = before.match(WORD)[0];
  const tokens = before.slice(0, before.length - word.length).match(TOKENS) ?? [];
  const last = tokens.at(-1);
  const plain = (texts, note) => texts.map((text) => ({ text, note }));
  const property = (text) => resolve(classes, name,
    text.split(".").filter((step) => step[0] !== "@"));
  let found;
  const opened = tokens.findLastIndex((token) => /^(SORT|DISTINCT)$/i.test(token));
  if (opened >= 0 && !tokens.slice(opened).includes(")")) {
    found = last === "(" || last === "," ? properties(classes, name, word)
      : plain(["ASC", "DESC"], "direction");
  } else if (last === undefined || JOINT.test(last)) {
    found = [...properties(classes, name, word), ...plain(WORDS_OF_START, "")];
  } else if (OPERATOR.test(last)) {
    const owner = tokens.at(-2);
    found = [...plain(values(owner && property(owner)), "value"),
      ...properties(classes, name, word)];
  } else if (property(last) || /@(count|min|max|sum|avg|size)$/.test(last)) {
    found = plain(last.includes("@") ? OPERATORS.number : operators(property(last)), "operator");
  } else {
    found = [...plain(["AND", "OR"], ""),
      ...plain(["SORT(", "DISTINCT(", "LIMIT("], "after the condition")];
  }
  const small = word.toLowerCase();
  return {
    word,
    found: found.filter(({ text }) => text.toLowerCase().startsWith(small) && text !== word),
  };
}
