// SPDX-License-Identifier: Apache-2.0

// The page of a server in a real, headless Chromium. Where there is none, the tests say that they
// are skipped.

#if Server
import Foundation
import RealmBrowserSupport
import RealmFormats
import RealmServerServices
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(
    if: Browser.isInstalled,
    "no browser: install chromium and chromedriver (Debian: chromium, chromium-driver)"))
struct AdminBrowserTests {
  /// Owners read and write their todos.
  private static let file = """
    {"id":"todos","mode":"production","sync":"flexible",
     "providers":{"anon-user":{},"local-userpass":{"confirm":"auto"}},
     "roles":{"classes":{"Todo":[{"name":"owner","apply_when":{},
       "document_filters":{"read":{"owner":"%%user.id"},"write":{"owner":"%%user.id"}},
       "read":true,"insert":true,"delete":true,"write":true}]}}}
    """

  private static let schema = """
    {"classes":[{"name":"Todo","kind":"topLevel","primaryKey":"_id","properties":[
      {"name":"_id","type":"string"},{"name":"name","type":"string"},
      {"name":"owner","type":"string"}]}]}
    """

  /// Runs `body` with the page of a server, at a tab of its app.
  private func withPage(
    _ tab: String, _ body: (Browser, RunningServer) async throws -> Void
  ) async throws {
    let server = try await RunningServer(file: Self.file, schema: Self.schema, adminEdits: true)
    let address = try await AdminSocketTests.address(server).absoluteString
    let browser = try await Browser()
    do {
      try await browser.open(address)
      try await browser.click("[data-app=todos]")
      try await browser.click(".tabs a[href$='/\(tab)']")
      try await body(browser, server)
    } catch {
      try? await browser.close()
      try? await server.stop()
      throw error
    }
    try await browser.close()
    try await server.stop()
  }

  private static func shows(_ text: String) -> String {
    "document.getElementById('content').innerText.includes(\(Browser.quoted(text)))"
  }

  @Test func theTokenStaysOutOfTheAddressAndTheScripts() async throws {
    try await withPage("sessions") { browser, _ in
      try await expectEqual(browser.text("location.href").contains("token"), false)
      try await expectEqual(browser.text("document.cookie"), "")
      try await browser.wait(Self.shows("No device is connected."))
    }
  }

  @Test func rulesAreCheckedAsTheyAreTyped() async throws {
    try await withPage("rules") { browser, server in
      try await browser.wait("document.querySelector('#rules-text')?.value.includes('%%user.id')")
      try await browser.click("#rules-check")
      try await browser.wait(Self.shows("The rules are correct."))
      // A mistake is named with its line and its column, and nothing changes.
      try await browser.fill("#rules-text", "{\"classes\": {\n  \"Todo\": [}")
      try await browser.click("#rules-check")
      try await browser.wait("document.querySelector('#rules-result .bad')")
      try await expectTrue(
        browser.text("document.querySelector('#rules-result .bad').innerText")
          .contains("(line 2, column 12)"))
      try await browser.click("#rules-restore")
      try await browser.wait("document.querySelector('#rules-text').value.includes('%%user.id')")
      // Which role decides for a user is said in words.
      let ann = try await AppDevice(server, "ann").user
      try await browser.fill("#rules-ruleUser", ann.id)
      try await browser.fill("#rules-ruleClass", "Todo")
      try await browser.click("#rules-check")
      try await browser.wait("document.querySelector('#rules-result .rules')")
      try await expectTrue(
        browser.text("document.querySelector('#rules-result .rules').innerText").contains("owner"))
    }
  }

  @Test func objectsAreMadeChangedAndDeleted() async throws {
    try await withPage("data") { browser, server in
      let ann = try await AppDevice(server, "ann").user
      try await browser.click("#new-object")
      try await browser.fill(
        "#edited", "{\"_id\": \"a\", \"name\": \"Water <b>plants</b>\", \"owner\": \"\(ann.id)\"}")
      try await browser.click("#confirm")
      // What people wrote is text on the page, not a part of it.
      try await browser.wait(Self.shows("Water <b>plants</b>"))
      try await browser.click("[data-action=edit]")
      try await browser.wait("document.querySelector('#edited')?.value.includes('plants')")
      try await browser.fill(
        "#edited", "{\"_id\": \"a\", \"name\": \"Feed the cat\", \"owner\": \"\(ann.id)\"}")
      try await browser.click("#confirm")
      try await browser.wait(Self.shows("Feed the cat"))
      // The page says who does not see it, and who does.
      let bob = try await AppDevice(server, "bob").user
      try await browser.fill("#data-user", bob.id)
      try await browser.press(.enter)
      try await browser.wait("document.querySelector('#list .late')?.innerText === 'no'")
      try await browser.fill("#data-user", ann.id)
      try await browser.press(.enter)
      try await browser.wait(
        "[...document.querySelectorAll('#list td')].some((cell) => cell.innerText === 'yes')")
      // A text that is no object is answered with what is wrong, and a dialog is left by its key.
      try await browser.click("[data-action=edit]")
      try await browser.fill("#edited", "[1]")
      try await browser.click("#confirm")
      try await browser.wait(
        "document.getElementById('notices').innerText.includes('An object is written as')")
      try await browser.click("[data-action=remove]")
      try await browser.press(.escape)
      try await browser.wait("!document.getElementById('dialog').open")
      try await browser.click("[data-action=remove]")
      try await browser.click("#confirm")
      try await browser.wait(Self.shows("There are no such objects."))
    }
  }

  @Test func usersAreMadeDisabledAndGetPasswords() async throws {
    try await withPage("users") { browser, server in
      try await browser.click("#new-user")
      try await browser.fill("#new-email", "ann@example.org")
      try await browser.fill("#new-password", "first secret")
      try await browser.click("#confirm")
      try await browser.wait(Self.shows("ann@example.org"))
      try await browser.click("[data-action=password]")
      try await browser.fill("#dialog #new-password", "second secret")
      try await browser.click("#confirm")
      try await browser.wait("!document.getElementById('dialog').open")
      let app = App(
        id: server.app, configuration: AppConfiguration(baseURL: server.address))
      await #expect(throws: (any Error).self) {
        try await app.login(
          credentials: .emailPassword(email: "ann@example.org", password: "first secret"))
      }
      let user = try await app.login(
        credentials: .emailPassword(email: "ann@example.org", password: "second secret"))
      try await browser.click("[data-action=disable]")
      try await browser.wait("document.querySelector('[data-action=enable]')")
      await #expect(throws: (any Error).self) {
        try await app.login(
          credentials: .emailPassword(email: "ann@example.org", password: "second secret"))
      }
      _ = user
    }
  }

  /// A narrow window shows everything, too: nothing but tables scroll sideways.
  @Test(arguments: ["sessions", "users", "data", "rules", "realms", "triggers"])
  func aNarrowWindowHoldsThePage(_ tab: String) async throws {
    try await withPage(tab) { browser, _ in
      try await browser.order(
        "Emulation.setDeviceMetricsOverride",
        [
          JSONMember("width", .integer(390)), JSONMember("height", .integer(800)),
          JSONMember("deviceScaleFactor", .integer(1)), JSONMember("mobile", .bool(true)),
        ])
      try await browser.wait("document.getElementById('list').innerText.length > 0")
      let width = try await browser.text("String(document.documentElement.scrollWidth)")
      expectTrue((Int(width) ?? .max) <= 390, "the page is \(width) wide")
    }
  }
}
#endif
