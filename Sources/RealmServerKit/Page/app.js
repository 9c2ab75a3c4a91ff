// SPDX-License-Identifier: Apache-2.0
// The view of an app: its users, the sessions of devices, and its realms.

import { dataView } from "./data.js";
import { asked, confirmed } from "./dialogs.js";
import { $, attempt, el, fact, grouped, table } from "./dom.js";
import { bytes, local, since } from "./format.js";
import { rulesView } from "./rules.js";
import { act, post, read } from "./server.js";

export const TABS = {
  sessions: "Sessions", users: "Users", data: "Data", rules: "Rules", realms: "Realms",
  functions: "Functions", triggers: "Triggers",
};

/** The name of a realm among those of its app. */
const realmName = (item) => item.partition ?? "all objects";

function facts(app) {
  return el("div", { class: "facts" },
    fact(app.users === null ? "–" : grouped(app.users), "users"),
    fact(grouped(app.connections), "connections"),
    fact(grouped(app.openSessions), "open sessions"),
    fact(grouped(app.behind), "sessions behind"),
    fact(grouped(app.behindMax), "versions behind at most"),
    fact(grouped(app.openRealms), "open realms"),
    fact(grouped(app.stoppedTriggers), `of ${grouped(app.triggers)} triggers stopped`,
      app.stoppedTriggers > 0));
}

function sessionsTable(sessions) {
  if (sessions.length === 0) return el("p", { class: "hint" }, "No device is connected.");
  return table(
    ["user", "realm", ["file", "right"], "connected for", ["version", "right"],
      ["behind", "right"]],
    sessions.map((session) => ({
      cells: [[session.user, "id"], realmName(session), [String(session.file), "right"],
        since(session.begin), [grouped(session.version), "right"],
        [grouped(session.behind), session.behind > 0 ? "right late" : "right"]],
    })));
}

function realmsTable({ realms, count }) {
  if (count === 0) return el("p", { class: "hint" }, "No device has made a realm yet.");
  return table(
    ["realm", ["size", "right"], ["used", "right"], ["version", "right"], ["history", "right"],
      ["devices", "right"], ["to reset", "right"], "objects"],
    realms.map((realm) => ({
      cells: [realmName(realm), [bytes(realm.bytes), "right"], [bytes(realm.used), "right"],
        [grouped(realm.version), "right"], [grouped(realm.history), "right"],
        [grouped(realm.devices), "right"], [grouped(realm.expired), "right"],
        realm.classes.map((item) => `${item.name} ${grouped(item.objects)}`).join(", ")],
    })));
}

function usersTable(app, users, reload) {
  if (users.length === 0) return el("p", { class: "hint" }, "There are no such users.");
  const button = (user, action, title, question) => el("button", {
    class: action === "delete" ? "small danger" : "small", "data-action": action,
    onclick: () => attempt(async () => {
      if (question && !(await confirmed(question, title))) return;
      await act(app.id, "users", user.id, action);
      await reload();
    }),
  }, title);
  const password = (user) => el("button", { class: "small", "data-action": "password",
    onclick: () => attempt(async () => {
      const answer = await asked(`New password of ${user.id}`,
        [{ id: "new-password", label: "Password", type: "password" }], "Set");
      if (!answer) return;
      const done = await post([app.id, "users", user.id, "password"],
        { password: answer["new-password"] });
      if (done.disabledKeys.length + done.otherLogins.length > 0) {
        const names = (list) => (list.length > 0 ? list.join(", ") : "none");
        await confirmed(`Keys that are disabled now: ${names(done.disabledKeys)}. Other ways to `
          + `log in, which stay: ${names(done.otherLogins.map((item) => item.name))}.`, "OK");
      }
      await reload();
    }) }, "New password");
  const hasPassword = (user) =>
    user.identities.some((item) => item.provider === "local-userpass");
  return table(
    ["user", "log-in", "since", ["logins", "right"], ""],
    users.map((user) => ({
      style: user.disabled ? "disabled" : undefined,
      cells: [[user.id, "id"],
        user.identities.map((item) => `${item.provider} ${item.name}`).join(", "),
        local(user.created), [grouped(user.sessions), "right"],
        [[user.disabled ? button(user, "enable", "Enable") : button(user, "disable", "Disable"),
          " ", ...(hasPassword(user) ? [password(user), " "] : []),
          button(user, "logout", "Log out"), " ",
          button(user, "delete", "Delete", `Delete the user ${user.id} for ever?`)], "tools"]],
    })));
}

function functionsTable(functions) {
  if (functions.length === 0) return el("p", { class: "hint" }, "The app has no functions.");
  return table(
    ["function", "kind", ["calls", "right"], ["failed", "right"], "last", "error"],
    functions.map((one) => ({
      cells: [one.name, one.isPrivate ? `private ${one.kind}` : one.kind,
        [grouped(one.calls), "right"], [grouped(one.failed), one.failed ? "right late" : "right"],
        one.lastCall ? local(one.lastCall) : "–",
        one.error ? `${local(one.errorTime)}: ${one.error}` : ""],
    })));
}

function triggersTable(app, triggers, reload) {
  if (triggers.length === 0) return el("p", { class: "hint" }, "The app has no triggers.");
  const button = (trigger, action, title) => el("button", {
    class: "small", "data-action": action,
    onclick: () => attempt(async () => {
      await act(app.id, "triggers", trigger.name, action);
      await reload();
    }),
  }, title);
  return table(
    ["trigger", "kind", "state", ["delivered", "right"], ["failed", "right"], ["behind", "right"],
      "next or last", "error", ""],
    triggers.map((trigger) => ({
      style: trigger.state === "disabled" ? "disabled" : undefined,
      cells: [trigger.name, trigger.kind,
        [trigger.state, trigger.state === "suspended" ? "late" : undefined],
        [grouped(trigger.delivered), "right"], [grouped(trigger.failed), "right"],
        [grouped(trigger.behind), "right"],
        trigger.nextRun || trigger.lastDelivery
          ? local(trigger.nextRun ?? trigger.lastDelivery) : "–",
        trigger.error ? `${local(trigger.errorTime)}: ${trigger.error}` : "",
        [trigger.state === "active" ? button(trigger, "suspend", "Suspend")
          : button(trigger, "resume", "Resume"), "tools"]],
    })));
}

/** The elements of the view of an app, whose lists come when they are there. */
export function appView(app, tab, memory, mayEdit) {
  const list = el("div", { id: "list" }, memory.list ?? el("p", { class: "hint" }, "…"));
  const show = (element) => { memory.list = element; list.replaceChildren(element); };
  const reload = () => attempt(async () => {
    if (tab === "sessions") show(sessionsTable(await read(app.id, "sessions")));
    if (tab === "functions") show(functionsTable(await read(app.id, "functions")));
    if (tab === "triggers") {
      show(triggersTable(app, await read(app.id, "triggers"), reload));
    }
    if (tab === "data") show(await dataView(app, memory, reload, mayEdit));
    if (tab === "rules") show(await rulesView(app, memory, reload));
    if (tab === "realms") {
      const page = await read(app.id, "realms", { from: memory.from });
      show(el("div", {}, realmsTable(page), pages(page.realms.length, page.count)));
    }
    if (tab === "users") {
      const page = await read(app.id, "users", { search: memory.search || undefined,
        from: memory.from });
      const next = page.next === null ? null : el("button", { id: "next", onclick: () => {
        memory.from = page.next;
        reload();
      } }, "Next");
      show(el("div", {}, usersTable(app, page.users, reload), next));
    }
  });
  const pages = (shown, count) => {
    const start = memory.from ?? 0;
    if (shown >= count) return null;
    return el("p", { class: "hint" }, `${grouped(start + 1)} to ${grouped(start + shown)} of `
      + `${grouped(count)} `, el("button", { onclick: () => {
      memory.from = start + shown < count ? start + shown : 0;
      reload();
    } }, "Next"));
  };
  const search = tab !== "users" ? null : el("input", {
    id: "search", type: "search", placeholder: "A part of an address or an id",
    "aria-label": "Search users", value: memory.search ?? "", spellcheck: false,
    onchange: (event) => { memory.search = event.target.value; memory.from = undefined; reload(); },
  });
  const newUser = tab !== "users" ? null : el("button", { id: "new-user",
    onclick: () => attempt(async () => {
      const user = await asked("New user", [
        { id: "new-email", label: "Address", type: "text" },
        { id: "new-password", label: "Password", type: "password" }], "Make");
      if (!user) return;
      await post([app.id, "users"],
        { email: user["new-email"].trim(), password: user["new-password"] });
      await reload();
    }) }, "New user");
  memory.reload = reload;
  return [
    el("h1", {}, app.name),
    el("p", { class: "hint" }, `${app.id}, `
      + `${app.mode === "flexible" ? "flexible sync" : "partitions"}, ${app.stage ?? "no mode"}`),
    el("div", { id: "facts" }, facts(app)),
    el("div", { class: "tabs" }, Object.entries(TABS).map(([name, title]) => el("a", {
      href: `#${encodeURIComponent(app.id)}/${name}`,
      "aria-current": name === tab ? "page" : undefined,
    }, title)), search, newUser),
    list,
  ];
}

/** Shows the newest numbers of an app that is shown already. */
export function renewFacts(app) { $("facts")?.replaceChildren(facts(app)); }
