// SPDX-License-Identifier: Apache-2.0

// The Swift of a guide, block by block, is the program that the guide says.

import Foundation
import TestExtensions
import Testing

struct GuideProgramTests {
  /// The blocks of a page in Swift that are no lines of a manifest, one after the other.
  private static func program(of page: String) throws -> String {
    try CodeBlock.blocks(of: Repository.text(page))
      .filter { $0.kind != .manifest && !$0.text.contains(".package(url:") }
      .map(\.text).joined(separator: "\n")
  }

  @Test(
    .heavy, .enabled(if: Toolchain.current != nil, "The modules of this build cannot be found"),
    arguments: [
      (
        "Sources/RealmSwift/RealmSwift.docc/Articles/GettingStarted.md",
        "import Foundation\nimport RealmSwift\n", "long.observe"
      ),
      ("Documentation/Sync/TenMinutes.md", "", "QuerySubscription<Todo>"),
    ])
  func theBlocksOfAPageAreAProgram(_ page: String, _ start: String, _ part: String) throws {
    let toolchain = try #require(Toolchain.current)
    let program = start + (try Self.program(of: page))
    expectTrue(program.contains(part), "\(page)")
    expectEqual(try toolchain.check(["main.swift": program]), "", "\(page)")
    let spoilt = program + "\nlet one: Int = \"\"\n"
    expectTrue(try toolchain.check(["main.swift": spoilt]).contains("cannot convert"), "\(page)")
  }
}
