// SPDX-License-Identifier: Apache-2.0

// What others have written appears on terminals, and does nothing to them.

#if Tools
import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTools

struct TerminalTextTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// What a terminal gets of a text.
  private func onTerminal(_ text: String) throws -> String {
    let terminal = try #require(PseudoTerminal())
    let sink = ByteSink(descriptor: terminal.program)
    try sink.writeLine(text)
    try sink.write(Array((text + "end\n").utf8))
    try sink.finish()
    return terminal.text { $0.contains("end") }
  }

  /// `TerminalText` 1
  @Test(arguments: [
    "\u{1B}]0;title\u{07}", "\u{9B}31m", "\u{1B}[2J", "a\u{202E}b", "\u{2066}x", "\u{200F}", "\r",
    "\u{08}\u{08}", "\u{7F}", "\u{90}q", "\u{85}", "\u{2028}", "\u{061C}",
  ])
  func namesAndValuesDoNothing(_ text: String) throws {
    let unsafe = text.unicodeScalars.filter(TerminalText.isUnsafe)
    expectFalse(unsafe.isEmpty)
    let shown = try onTerminal("before \(text) after")
    // The terminal itself puts a return before each line's end.
    let plain = shown.replacing("\r\n", with: "\n")
    #expect(
      plain.unicodeScalars.allSatisfy { !TerminalText.isUnsafe($0) }, "\(plain.debugDescription)")
    expectTrue(plain.contains("before "))
    expectTrue(plain.contains(" after"))
    #expect(
      !CellText.shortened(text, limit: 20).unicodeScalars.contains(where: TerminalText.isUnsafe))
  }

  @Test func ourStylesAreSequencesOnATerminalAlone() throws {
    let text = TerminalText.styled("red \u{1B}[0m", .red)
    #expect(try onTerminal(text).hasPrefix("\u{1B}[31mred \\u{1b}[0m\u{1B}[0m"))
    expectEqual(TerminalText.safe(text), "\\u{fdd2}red \\u{1b}[0m\\u{fdd0}")
  }

  @Test func filesAndPipesGetWhatIsThere() throws {
    let path = directory.file("raw")
    let sink = try ByteSink(path: path, overwrites: false)
    try sink.write("\u{1B}[2J")
    try sink.finish()
    try expectEqual(String(contentsOfFile: path, encoding: .utf8), "\u{1B}[2J")
  }

  // MARK: Widths

  @Test(arguments: [
    ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👍🏽", 2), ("👨‍👩‍👧", 2), ("한", 2), ("ｱ", 1), ("Ａ", 2),
    ("", 0),
    ("❤️", 2),
  ])
  func textsHaveWidths(_ text: String, _ width: Int) {
    expectEqual(TextWidth.of(text), width)
  }

  /// A table is drawn as its rows come, in the widths of the first ones.
  @Test func longTablesAreDrawnAtOnce() {
    let rows = (0..<TextTable.measuredRowCount + 2).map { ["\($0)", $0 == 3 ? "wide" : "x"] }
    var table = TextTable(["#", "name"])
    var parts = rows.map { table.add($0) }
    #expect(parts[..<(TextTable.measuredRowCount - 1)].allSatisfy { $0.isEmpty })
    let first = parts[TextTable.measuredRowCount - 1]
    expectTrue(first.hasPrefix("+-----+------+\n| #   | name |\n+-----+------+\n| 0   | x    |\n"))
    expectEqual(first.split(separator: "\n").count, TextTable.measuredRowCount + 3)
    expectEqual(parts[TextTable.measuredRowCount], "| 1000 | x    |\n")
    parts.append(table.finish())
    expectEqual(parts.last, "+-----+------+\n")
    expectEqual(table.count, rows.count)
    let short = Array(rows.prefix(5))
    var small = TextTable(["#", "name"])
    expectEqual(
      short.map { small.add($0) }.joined() + small.finish(),
      TextTable.text(["#", "name"], short))
    expectEqual(TextTable.text(["a"], []), "+---+\n| a |\n+---+\n")
  }

  @Test func shortWaysMeasureAsLongOnes() {
    for text in ["", "abc", "a\tb", "ä", "日本", "a\u{1B}b", "~", "\u{7F}", "👩‍👩‍👧"] {
      expectEqual(TextWidth.of(text), text.reduce(0) { $0 + TextWidth.of($1) }, "\(text)")
    }
    expectEqual(CellText.shortened("abcd", limit: 4), "abcd")
    expectEqual(CellText.shortened("abcde", limit: 4), "abc…")
    expectEqual(CellText.shortened("a\nb", limit: 4), "a⏎b")
  }

  @Test func wideCharactersAlign() {
    let table = TextTable.text(
      ["name", "n"], [["日本", "1"], ["e\u{301}", "22"], ["abcde", "3"]])
    expectEqual(
      table,
      """
      +-------+----+
      | name  | n  |
      +-------+----+
      | 日本  | 1  |
      | é     | 22 |
      | abcde | 3  |
      +-------+----+

      """)
    expectEqual(CellText.shortened("日本語テキスト", limit: 7), "日本語…")
    expectEqual(CellText.shortened("日本", limit: 4), "日本")
  }

  // MARK: CSV

  @Test func spreadsheetsRunNothing() throws {
    expectEqual(CSVText.line(["=1+1", "@x", "+a", "-b|c", "\ttab"]), "'=1+1,'@x,'+a,'-b|c,'\ttab")
    expectEqual(
      CSVText.line(["-5", "+3.5", "-1e9", "a=1", "'quoted", ""]), "-5,+3.5,-1e9,a=1,'quoted,\"\"")
    expectEqual(CSVText.line(["=1+1"], hasFormulas: true), "=1+1")
    var random = SeededGenerator(seed: 20)
    let alphabet: [Character] = ["'", "=", "-", "+", "@", "1", "a", "\t"]
    for _ in 0..<2000 {
      let text = String(
        (0..<Int.random(in: 1..<5, using: &random)).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        })
      var line = CSVText.line([text])
      if line.hasPrefix("\"") { line = String(line.dropFirst().dropLast()) }
      expectEqual(CSVText.withoutGuard(line), text, "\(text.debugDescription)")
    }
  }
}
#endif
