// SPDX-License-Identifier: Apache-2.0

// The shell lines that guides show are typed by tests.

import Foundation
import TestExtensions
import Testing

/// A block of a guide that begins with a prompt is typed by `GuideTests`, which the mark
/// `<!-- run -->` before it asks for, or is one of a short list: with the test that runs its
/// commands otherwise, or the reason why none does.
struct ShellBlockTests {
  /// The whole page is typed by `OperatingPageTests`, line by line.
  private static let typed: Set<String> = ["Documentation/Sync/OperatingAServer.md"]

  /// The blocks without a mark, by the beginning of their first line.
  private static let others: [String: [String: String]] = [
    "Documentation/CommandLine.md": [
      "realm upgrade": "RealmCommandTests/ReadingCommandTests.swift"
    ],
    "Documentation/Sync/FromOneMachineToMany.md": [
      "swift build": "builds for release",
      "pg_basebackup": "RealmServerPostgresTests/Support/PostgresCluster.swift",
      "mv \"$PGDATA\"": "RealmServerPostgresTests/Support/PostgresCluster.swift",
    ],
    "Documentation/Sync/Functions.md": [
      "realm-server triggers list": "RealmServerTests/FunctionTests.swift"
    ],
    "Documentation/Sync/ImportFromAtlasAppServices.md": [
      "realm-server import": "the same lines are typed with the files of the page below it",
      "curl": "asks the former service",
    ],
    "Documentation/Sync/LogIn.md": [
      "realm-server keys create": "RealmServerTests/LoginKindTests.swift"
    ],
    "Documentation/Sync/Rules.md": [
      "realm-server apply": "RealmServerTests/ApplyTests.swift",
      "realm-server users custom-data": "RealmServerTests/CustomDataTests.swift",
      "realm-server users disable": "RealmServerTests/AccessEndTests.swift",
    ],
  ]

  private static func blocks(of page: String) -> [(mark: String?, command: String)] {
    var found: [(String?, String)] = []
    var mark: Substring?
    var isInBlock = false
    var isFirst = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("<!-- ") { mark = line.dropFirst(5).dropLast(4) }
      if line.hasPrefix("```") {
        if isInBlock { mark = nil }
        isInBlock.toggle()
        isFirst = isInBlock
      } else if isFirst {
        if line.hasPrefix("$ ") { found.append((mark.map(String.init), String(line.dropFirst(2)))) }
        isFirst = false
      }
    }
    return found
  }

  private static func pages() throws -> [String] {
    let folder = Repository.root.appending(path: "Documentation/Sync").path
    return ["Documentation/CommandLine.md", "Documentation/Studio.md"]
      + (try FileManager.default.contentsOfDirectory(atPath: folder))
      .filter { $0.hasSuffix(".md") }.map { "Documentation/Sync/\($0)" }.sorted()
  }

  @Test func eachBlockIsTypedByATest() throws {
    var typed = 0
    var listed: Set<String> = []
    for page in try Self.pages() where !Self.typed.contains(page) {
      for (mark, command) in Self.blocks(of: try Repository.text(page)) {
        if let mark, mark == "run" || mark.hasPrefix("run ") {
          typed += 1
          continue
        }
        let entry = Self.others[page]?.keys.first { command.hasPrefix($0) }
        expectTrue(entry != nil, "\(page): '\(command)' is typed by no test")
        if let entry { listed.insert("\(page) \(entry)") }
      }
    }
    #expect(typed > 35)
    for (page, entries) in Self.others {
      for (command, reason) in entries {
        expectTrue(
          listed.contains("\(page) \(command)"), "\(page) has no block '\(command)' any more")
        if reason.hasSuffix(".swift") { _ = try Repository.text("Tests/\(reason)") }
      }
    }
  }

  @Test func blocksAreFound() {
    let page = """
      <!-- run -->
      ```
      $ one
      two
      ```
      ```json
      {}
      ```
      ```
      $ three
      ```
      """
    let blocks = Self.blocks(of: page)
    expectEqual(blocks.map(\.command), ["one", "three"])
    expectEqual(blocks.map(\.mark), ["run", nil])
  }
}
