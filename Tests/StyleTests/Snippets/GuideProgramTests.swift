// SPDX-License-Identifier: Apache-2.0

// The Swift of a guide, block by block, is the program that the guide says.

import Foundation
import TestExtensions
import Testing

struct GuideProgramTests {
  /// What the program of a reader has beside what "Server in Swift" shows.
  private static let serverStart = """
    import Foundation
    import Logging
    import RealmSwift
    import ServiceLifecycle
    import Testing

    class Todo: Object {
      @Persisted(primaryKey: true) var _id: ObjectId
      @Persisted var name: String
      @Persisted var isDone: Bool
      @Persisted var owner: String
    }

    struct Web: Service { func run() async throws {} }
    let (web, logger, folder) = (Web(), Logger(label: "web"), "./data")

    """

  /// The beginning of a function of an app, which goes on with what a page shows.
  private static let functionStart = """
    import Foundation
    import RealmSwift

    func page(app: App, user: User, token: String) async throws {

    """

  /// The blocks of a page in Swift that are no lines of a manifest, one after the other.
  private static func program(of page: String) throws -> String {
    try CodeBlock.blocks(of: Repository.text(page))
      .filter { block in
        block.kind != .manifest
          && ![".package(", ".product("].contains(where: { block.text.contains($0) })
      }
      .map(\.text).joined(separator: "\n")
      // A target of the reader.
      .replacing("import Models\n", with: "")
  }

  @Test(
    .heavy, .enabled(if: Toolchain.current != nil, "The modules of this build cannot be found"),
    arguments: [
      (
        "Sources/RealmSwift/RealmSwift.docc/Articles/GettingStarted.md",
        "import Foundation\nimport RealmSwift\n", "long.observe"
      ),
      ("Documentation/Sync/TenMinutes.md", "", "QuerySubscription<Todo>"),
      ("Documentation/Sync/ServerInSwift.md", serverStart, "app.trigger("),
      ("Documentation/Sync/Documents.md", functionStart, "todos.insertOne("),
      ("Documentation/Sync/Functions.md", functionStart, "push.registerDevice("),
    ])
  func theBlocksOfAPageAreAProgram(_ page: String, _ start: String, _ part: String) throws {
    let toolchain = try #require(Toolchain.current)
    let program = start + (try Self.program(of: page)) + (start.hasSuffix("{\n") ? "}\n" : "")
    expectTrue(program.contains(part), "\(page)")
    expectEqual(try toolchain.check(["main.swift": program]), "", "\(page)")
    let spoilt = program + "\nlet one: Int = \"\"\n"
    expectTrue(try toolchain.check(["main.swift": spoilt]).contains("cannot convert"), "\(page)")
  }
}
