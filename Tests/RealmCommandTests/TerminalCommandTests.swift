// SPDX-License-Identifier: Apache-2.0

// Tables on a terminal: whole, or in pages.

#if Tools
import Foundation
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

@Suite(.timeLimit(.minutes(10))) struct TerminalCommandTests {
  private let directory: TemporaryDirectory
  private let file: String

  init() throws {
    directory = try TemporaryDirectory()
    file = directory.file("dogs.realm")
    try CommandSample.make(at: file)
  }

  /// Marks the lines that it shows.
  private static let marker = "sed s/^/paged:/"

  private func query(
    _ arguments: String..., rows: UInt16, pager: String?, path: String? = nil
  ) throws -> (status: Int32, lines: [String]) {
    let terminal = try #require(PseudoTerminal(rows: rows, columns: 80))
    var environment = ["PAGER": pager ?? "", "TERM": "xterm"]
    if let path { environment["PATH"] = path }
    let process = try ToolProcess(
      ToolProcess.program, ["query", file] + arguments, environment: environment,
      terminal: terminal)
    // The terminal itself puts a return before each line's end.
    let lines = process.output.replacing("\r\n", with: "\n").split(separator: "\n")
    return (process.status, lines.map(String.init))
  }

  /// The table of the three dogs: four lines, three of the border, and their number.
  private let lineCount = 8

  @Test func aTableThatIsLongerThanTheScreenIsShownInPages() throws {
    let (status, lines) = try query("Dog", rows: 8, pager: Self.marker)
    expectEqual(status, 0)
    expectEqual(lines.count, lineCount)
    #expect(lines.allSatisfy { $0.hasPrefix("paged:") }, "\(lines)")
    expectEqual(lines.last, "paged:3 objects")
  }

  @Test func whatFitsIsShownAsAWhole() throws {
    for (rows, arguments) in [(9, ["Dog"]), (8, ["Dog", "--no-pager"]), (8, ["Dog", "--json"])] {
      let terminal = try #require(PseudoTerminal(rows: UInt16(rows)))
      let process = try ToolProcess(
        ToolProcess.program, ["query", file] + arguments, environment: ["PAGER": Self.marker],
        terminal: terminal)
      expectEqual(process.status, 0)
      expectFalse(process.output.contains("paged:"), "\(process.output)")
      expectTrue(process.output.contains("Rex"))
    }
    // A pipe has no pages.
    let piped = try ToolProcess("query", file, "Dog", environment: ["PAGER": Self.marker])
    expectEqual(piped.output.split(separator: "\n").count, lineCount)
    expectFalse(piped.output.contains("paged:"))
  }

  @Test func aPagerMayEndBeforeTheTable() throws {
    try expectEqual(ToolProcess("generate", file, "--rows", "3000").status, 0)
    let (status, lines) = try query("Dog", rows: 10, pager: "head -n 2")
    expectEqual(status, 0)
    expectEqual(lines.count, 2)
  }

  /// A table is never lost because there is no pager.
  @Test func whereThereIsNoPagerTheTableIsShownAsAWhole() throws {
    for (pager, path) in [("realm-test-no-such-pager", nil), (nil, directory.path)] {
      let (status, lines) = try query("Dog", rows: 4, pager: pager, path: path)
      expectEqual(status, 0)
      expectEqual(lines.count, lineCount, "\(lines)")
      expectEqual(lines.last, "3 objects")
    }
  }

  @Test func aPagerGetsNothingThatATerminalWouldRun() throws {
    let insert = "INSERT Dog {\"id\": 9, \"name\": \"\\u001b[2J\"}"
    try expectEqual(ToolProcess("shell", file, input: insert).status, 0)
    let (_, lines) = try query("Dog", rows: 4, pager: "cat")
    #expect(lines.contains { $0.contains("�[2J") })
    #expect(!lines.joined().contains("\u{1B}"))
  }
}
#endif
