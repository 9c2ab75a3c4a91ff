// SPDX-License-Identifier: Apache-2.0

// A client of the WebDriver protocol, as much of it as the tests need.

#if Tools || Server
package import Foundation
package import RealmFormats
import RealmTestSupport

/// A window of a headless Chromium.
package final class Browser: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private static let folders = ["/usr/bin", "/usr/local/bin", "/snap/bin"]

  private static func program(_ names: String...) -> String? {
    for folder in folders {
      for name in names where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
        return "\(folder)/\(name)"
      }
    }
    return nil
  }

  private static let chromium = program("chromium", "chromium-browser", "google-chrome")
  private static let chromeDriver = program("chromedriver")

  /// Whether this machine has Chromium and its driver.
  package static var isInstalled: Bool { chromium != nil && chromeDriver != nil }

  private let driver: SpawnedProgram
  private let connection: DriverConnection
  private let session: String

  /// Opens a window of a size in pixels.
  package init(width: Int = 1400, height: Int = 860) async throws {
    guard let chromium = Self.chromium, let chromeDriver = Self.chromeDriver else {
      throw Failure(description: "there is no browser")
    }
    driver = try SpawnedProgram(chromeDriver, ["--port=0"], output: .pipe, errors: .null)
    connection = DriverConnection(port: try Self.port(of: driver.output))
    let arguments = [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--hide-scrollbars=false", "--force-device-scale-factor=1",
      "--window-size=\(width),\(height)",
    ]
    let options = JSONValue.object([
      JSONMember("binary", .string(chromium)),
      JSONMember("args", .array(arguments.map { .string($0) })),
    ])
    let capabilities = JSONValue.object([
      JSONMember("goog:chromeOptions", options),
      JSONMember("timeouts", .object([JSONMember("script", .integer(60_000))])),
    ])
    let body = JSONValue.object([
      JSONMember(
        "capabilities", .object([JSONMember("alwaysMatch", capabilities)]))
    ])
    let answer = try await connection.send("/session", body)
    guard let session = answer["sessionId"]?.string else {
      throw Failure(description: "no session: \(JSONWriter.text(answer))")
    }
    self.session = session
  }

  deinit { driver.kill(SIGTERM) }

  /// Closes the window.
  package func close() async throws {
    _ = try? await connection.send("/session/\(session)", nil, method: "DELETE")
    driver.kill(SIGTERM)
  }

  /// The port that the driver reports in its first lines.
  private static func port(of output: FileHandle?) throws -> Int {
    var text = ""
    while true {
      let data = output?.availableData ?? Data()
      guard !data.isEmpty else { throw Failure(description: "the driver said: \(text)") }
      text += String(decoding: data, as: UTF8.self)
      if let match = text.firstMatch(of: /successfully on port (\d+)/), let port = Int(match.1) {
        return port
      }
    }
  }

  private func command(_ name: String, _ body: [JSONMember] = []) async throws -> JSONValue {
    try await connection.send("/session/\(session)/\(name)", .object(body))
  }

  // MARK: - The page

  /// Opens the address of one of our pages, and waits until it is ready.
  package func open(_ address: String) async throws {
    _ = try await command("url", [JSONMember("url", .string(address))])
    try await wait("document.body.dataset.ready === 'true'")
  }

  /// Opens an address that is not a page of ours.
  package func visit(_ address: String) async throws {
    _ = try await command("url", [JSONMember("url", .string(address))])
  }

  /// The value of an expression in the page.
  @discardableResult
  package func evaluate(_ expression: String) async throws -> JSONValue {
    try await command(
      "execute/sync",
      [JSONMember("script", .string("return (\(expression))")), JSONMember("args", .array([]))])
  }

  /// The text of an expression in the page.
  package func text(_ expression: String) async throws -> String {
    let value = try await evaluate(expression)
    return value.string ?? JSONWriter.text(value)
  }

  /// Waits for a condition in the page, looking with each frame that it draws.
  package func wait(_ condition: String) async throws {
    let script = """
      const done = arguments[0];
      const end = performance.now() + 40000;
      const look = () => {
        let value = false;
        try { value = (\(condition)); } catch (error) { value = false; }
        if (value) done("yes");
        else if (performance.now() > end) done(document.body.innerText.slice(0, 600));
        else setTimeout(look, 8);
      };
      look();
      """
    let answer = try await command(
      "execute/async",
      [JSONMember("script", .string(script)), JSONMember("args", .array([]))])
    guard answer.string == "yes" else {
      throw Failure(description: "never: \(condition)\n\(answer.string ?? "")")
    }
  }

  /// Clicks at the element of a selector, as a person does.
  package func click(_ selector: String) async throws {
    try await wait("document.querySelector(\(Self.quoted(selector)))")
    for _ in 0..<20 {
      do { return try await clickOnce(selector) } catch let failure as DriverConnection.Failure {
        // The page replaced the element in between.
        guard failure.description.contains("stale element") else { throw failure }
      }
    }
    throw Failure(description: "\(selector) is drawn all the time")
  }

  private func clickOnce(_ selector: String) async throws {
    let element = try await element(selector)
    _ = try await command("element/\(element.value.string ?? "")/click")
  }

  private func element(_ selector: String) async throws -> JSONMember {
    let found = try await command(
      "element",
      [JSONMember("using", .string("css selector")), JSONMember("value", .string(selector))])
    guard case .object(let members) = found, let member = members.first else {
      throw Failure(description: "no element \(selector)")
    }
    return member
  }

  /// Moves the mouse to the middle of an element, and presses it as often as is said.
  package func point(at selector: String, clicks: Int = 0) async throws {
    for _ in 0..<20 {
      do { return try await pointOnce(at: selector, clicks) } catch let failure
        as DriverConnection.Failure
      {
        // The page replaced the element in between.
        guard failure.description.contains("stale element") else { throw failure }
      }
    }
    throw Failure(description: "\(selector) is drawn all the time")
  }

  private func pointOnce(at selector: String, _ clicks: Int) async throws {
    let origin = JSONValue.object([try await element(selector)])
    var steps: [JSONValue] = [
      .object([
        JSONMember("type", .string("pointerMove")), JSONMember("origin", origin),
        JSONMember("x", .integer(0)), JSONMember("y", .integer(0)),
      ])
    ]
    for _ in 0..<clicks {
      for kind in ["pointerDown", "pointerUp"] {
        steps.append(
          .object([JSONMember("type", .string(kind)), JSONMember("button", .integer(0))]))
      }
    }
    let mouse = JSONValue.object([
      JSONMember("type", .string("pointer")), JSONMember("id", .string("mouse")),
      JSONMember("actions", .array(steps)),
    ])
    _ = try await command("actions", [JSONMember("actions", .array([mouse]))])
  }

  /// Gives an order to Chromium itself.
  package func order(_ name: String, _ parameters: [JSONMember]) async throws {
    _ = try await command(
      "goog/cdp/execute",
      [JSONMember("cmd", .string(name)), JSONMember("params", .object(parameters))])
  }

  /// Presses keys one after the other; a special key is a scalar of WebDriver's.
  package func type(_ keys: String, holding modifiers: [Key] = []) async throws {
    var steps: [JSONValue] = []
    func step(_ kind: String, _ key: String) {
      steps.append(
        .object([JSONMember("type", .string(kind)), JSONMember("value", .string(key))]))
    }
    for key in modifiers { step("keyDown", key.rawValue) }
    for key in keys {
      step("keyDown", String(key))
      step("keyUp", String(key))
    }
    for key in modifiers { step("keyUp", key.rawValue) }
    let keyboard = JSONValue.object([
      JSONMember("type", .string("key")), JSONMember("id", .string("keyboard")),
      JSONMember("actions", .array(steps)),
    ])
    _ = try await command("actions", [JSONMember("actions", .array([keyboard]))])
  }

  package func press(_ keys: Key..., holding modifiers: [Key] = []) async throws {
    try await type(keys.map(\.rawValue).joined(), holding: modifiers)
  }

  /// The keys that write no text.
  package enum Key: String {
    case enter = "\u{E007}"
    case escape = "\u{E00C}"
    case tab = "\u{E004}"
    case control = "\u{E009}"
    case shift = "\u{E008}"
    case alt = "\u{E00A}"
    case left = "\u{E012}"
    case up = "\u{E013}"
    case right = "\u{E014}"
    case down = "\u{E015}"
    case end = "\u{E010}"
    case home = "\u{E011}"
    case delete = "\u{E017}"
    case f2 = "\u{E032}"
  }

  /// Replaces the text of a field.
  package func fill(_ selector: String, _ text: String) async throws {
    try await click(selector)
    try await type("a", holding: [.control])
    try await type(text)
  }

  /// A picture of the window.
  package func screenshot() async throws -> Data {
    let picture = try await connection.send(
      "/session/\(session)/screenshot", nil, method: "GET")
    return Data(base64Encoded: picture.string ?? "") ?? Data()
  }

  package static func quoted(_ text: String) -> String { JSONWriter.text(.string(text)) }
}
#endif
