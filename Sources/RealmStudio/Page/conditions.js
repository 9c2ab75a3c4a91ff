// SPDX-License-Identifier: Apache-2.0
// The condition that a value of the table stands for, and queries that get another condition.

import { TOKENS } from "./completion.js";

/** A string as queries spell it: on one line, as the query bar has one. */
function quoted(text) {
  const names = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };
  return `'${text.replace(/[\\']/g, "\\$&").replace(/[\n\r\t\0\u2028\u2029]/g, (character) =>
    names[character] ?? `\\u${character.charCodeAt(0).toString(16)}`)}'`;
}

/** A property as queries spell it: behind # if it could be a word of the language. */
function path(name) {
  return /^(true|false|yes|no|null|nil|inf|infinity|nan|any|all|some|none|not|and|or|in|like|between|text|contains|beginswith|endswith|sort|distinct|limit|subquery|obj|oid|uuid|b64|truepredicate|falsepredicate)$/i
    .test(name) ? `#${name}` : name;
}

/** The condition that holds for the objects with that value of a property; undefined where the
 *  language has none. */
export function condition(property, cell) {
  const name = path(property.name);
  if (cell === null) return `${name} == null`;
  switch (cell.t) {
    case "string":
      return cell.n ? `${name} BEGINSWITH ${quoted(cell.v)}` : `${name} == ${quoted(cell.v)}`;
    case "data": {
      const bytes = atob(cell.v).length;
      return `${name} ${cell.n > bytes ? "BEGINSWITH" : "=="} B64'${cell.v}'`;
    }
    case "float":
      // The shortest digits of a float are those of another double, which a property of floats is
      // compared with, and a value of any type is not.
      if (property.type === "mixed" && Math.fround(Number(cell.v)) !== Number(cell.v)) {
        return undefined;
      }
      return `${name} == ${/[nN]/.test(cell.v) ? cell.v : Math.fround(Number(cell.v))}`;
    case "date": return `${name} == T${cell.v}`;
    case "uuid": return `${name} == uuid(${cell.v})`;
    case "objectId": return `${name} == oid(${cell.v})`;
    case "list": case "set": case "dictionary":
      return property.collection ? `${name}.@count == ${cell.n}` : undefined;
    case "link":
      return cell.id === undefined ? undefined : `${name} == obj(${quoted(cell.class)}, ${cell.id})`;
    default: return `${name} == ${cell.v}`;
  }
}

/** A query with one more condition, before its SORT, DISTINCT and LIMIT. */
export function narrowed(query, added) {
  let end = query.length;
  let isChoice = false;
  let depth = 0;
  for (const { 0: token, index } of query.matchAll(TOKENS)) {
    if (token === "(" || token === "{") depth += 1;
    if (token === ")" || token === "}") depth -= 1;
    if (depth === 0 && /^(OR|\|\|)$/i.test(token)) isChoice = true;
    if (depth === 0 && /^(SORT|DISTINCT|LIMIT)$/i.test(token)
      && /^\s*\(/.test(query.slice(index + token.length))) {
      end = index;
      break;
    }
  }
  const old = query.slice(0, end).trim();
  const rest = query.slice(end).trim();
  let all = isChoice ? `(${old}) AND ${added}` : `${old} AND ${added}`;
  if (old === "" || /^TRUEPREDICATE$/i.test(old)) all = added;
  if (old === added || old.endsWith(` AND ${added}`)) all = old;
  return rest ? `${all} ${rest}` : all;
}
