// SPDX-License-Identifier: Apache-2.0

// The commands that look into files, as processes.

#if Tools
import Foundation
import RealmStorage
import RealmFormats
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReadingCommandTests {
  private let directory: TemporaryDirectory
  private let file: String

  init() throws {
    directory = try TemporaryDirectory()
    file = directory.file("dogs.realm")
    try CommandSample.make(at: file)
  }

  private func json(_ text: String) throws -> JSONValue { try JSONParser.parse(text) }

  @Test func everyCommandExplainsItself() throws {
    let help = try ToolProcess("--help")
    expectEqual(help.status, 0)
    for name in CommandSample.commands {
      expectTrue(help.output.contains("  \(name) "), "\(name)")
      let own = try ToolProcess(name, "--help")
      expectEqual(own.status, 0)
      expectTrue(own.output.contains("USAGE: realm \(name)"), "\(own.output)")
      #expect(own.output.contains(#/Examples?: realm /#), "\(name)")
    }
  }

  @Test func badCommandLinesEndWith64() throws {
    try expectEqual(ToolProcess("nonsense").status, 64)
    try expectEqual(ToolProcess("info").status, 64)
    try expectEqual(ToolProcess("query", file, "Dog WHERE").status, 64)
    try expectEqual(ToolProcess("schema", file, "--format", "xml").status, 64)
  }

  @Test func info() throws {
    let plain = try ToolProcess("info", file)
    expectEqual(plain.status, 0)
    expectTrue(plain.output.contains("Format          24"))
    expectTrue(plain.output.contains("| Dog   | 3       | 3          |"))
    #expect(!plain.output.contains("\u{1B}"))
    let report = try json(try ToolProcess("info", file, "--json").output)
    expectEqual(report["classes"]?.array?.first?["objects"], .integer(3))
    let missing = try ToolProcess("info", directory.file("none.realm"))
    expectEqual(missing.status, 66)
    expectTrue(missing.errors.hasPrefix("realm: There is no file"))
    expectFalse(FileManager.default.fileExists(atPath: directory.file("none.realm")))
  }

  @Test func schema() throws {
    try expectEqual(
      ToolProcess("schema", file).output,
      """
      import Foundation
      import RealmSwift

      final class Dog: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var age: Int?
      }

      """)
    #expect(try ToolProcess("schema", file, "--format", "mermaid").output.hasPrefix("classDiagram"))
    try expectEqual(json(try ToolProcess("schema", file, "--json").output).array?.count, 1)
  }

  @Test func query() throws {
    let query = "Dog WHERE age != nil SORT(age DESC)"
    try expectEqual(
      ToolProcess("query", file, query, "--json").output,
      """
      {"$key":1,"id":2,"name":"Rex","age":7}
      {"$key":0,"id":1,"name":"Fido","age":3}

      """)
    try expectEqual(
      ToolProcess("query", file, query, "--format", "csv").output,
      "#,id,name,age\n1,2,Rex,7\n0,1,Fido,3\n")
    let table = try ToolProcess("query", file, "Dog WHERE id == 3").output
    expectTrue(table.contains("| 2 | 3  | Ünal | –   |"))
    expectTrue(table.hasSuffix("1 object\n"))
    try expectEqual(ToolProcess("query", file, "Dog", "--count").output, "3\n")
    #expect(
      try ToolProcess("query", file, "Dog WHERE id == 2", "--explain").output.contains("index"))
    let bad = try ToolProcess("query", file, "Dog WHERE age >")
    expectEqual(bad.status, 64)
    expectTrue(bad.output.isEmpty)
    expectTrue(bad.errors.contains("column 16"))
    expectTrue(bad.errors.contains("\n                 ^"))
  }

  @Test func check() throws {
    let whole = try ToolProcess("check", file)
    expectEqual(whole.status, 0)
    expectTrue(whole.output.hasPrefix("whole"))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    // All but the header.
    for index in 24..<bytes.count { bytes[index] = 0x5A }
    try bytes.write(to: URL(fileURLWithPath: file))
    let damaged = try ToolProcess("check", file, "--json")
    expectEqual(damaged.status, 1)
    try expectEqual(json(damaged.output)["damaged"], .bool(true))
    try expectEqual(ToolProcess("check", directory.path).status, 66)
  }

  /// A file of a synchronised app in an older format: every command that reads does, and no byte
  /// changes.
  @Test(arguments: [22, 23]) func anOlderFileOfASynchronisedAppIsRead(_ format: Int) throws {
    unsafe unlink(file + ".lock")
    #expect(try OlderFile.edit(file, format: format, historyType: 3))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let temporary = directory.file("tmp")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    func run(_ arguments: String...) throws -> ToolProcess {
      try ToolProcess(ToolProcess.program, arguments, environment: ["TMPDIR": temporary])
    }
    let info = try run("info", file)
    #expect(try run("info", file, "--json").output.contains("\"format\":\(format),"))
    expectTrue(info.output.contains("| Dog   | 3       | 3          |"), "\(info.output)")
    expectTrue(info.output.contains("realm copy"), "\(info.output)")
    try expectEqual(run("query", file, "Dog", "--count").output, "3\n")
    let (copy, saved) = (directory.file("copy.realm"), directory.file("saved.realm"))
    for arguments in [
      ["schema", file], ["export", file], ["check", file], ["diff", file, file],
      ["copy", file, copy], ["salvage", file, saved], ["diff", file, copy], ["diff", file, saved],
    ] {
      let process = try ToolProcess(
        ToolProcess.program, arguments, environment: ["TMPDIR": temporary])
      expectEqual(process.status, 0, "\(arguments): \(process.errors)")
    }
    let upgrade = try run("upgrade", file)
    expectEqual(upgrade.status, 65)
    expectTrue(upgrade.errors.contains("'realm copy "), "\(upgrade.errors)")
    let insert = try ToolProcess("shell", copy, input: "INSERT Dog {\"id\": 9}")
    expectEqual(insert.status, 0, "\(insert.errors)")
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: file)), bytes)
    expectFalse(FileManager.default.fileExists(atPath: file + ".lock"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
  }

  @Test func checkPrintsTenFindingsOfEachKind() throws {
    let writer = try RealmWriter(path: file, key: nil, creates: false)
    _ = try writer.write { group in
      let cats = try group.createTable(named: "class_Cat")
      let name = try cats.addColumn(named: "name", type: .string, isIndexed: true)
      for number in 0..<100 {
        try cats.set(.string("a long name \(number)"), name, cats.createObject().key)
      }
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    // The name of one cat in its cluster, so that the index contradicts it, and so do some others.
    let text = Data("a long name 5".utf8)
    var start = bytes.startIndex
    while let place = bytes[start...].range(of: text) {
      bytes[place.lowerBound] = 0x62
      start = place.upperBound
    }
    try bytes.write(to: URL(fileURLWithPath: file))
    let some = try ToolProcess("check", file).output.split(separator: "\n")
    let all = try ToolProcess("check", file, "--all").output.split(separator: "\n")
    expectTrue(some.count < all.count)
    let more = try #require(some.first { $0.hasSuffix(" more") })
    let kind = more.prefix { $0 != ":" }
    expectEqual(some.count { $0.hasPrefix(kind) }, 11)
    let rest = try #require(Int(more.dropFirst(kind.count + 2).dropLast(5)))
    expectEqual(all.count { $0.hasPrefix(kind) }, 10 + rest)
  }

  @Test func queriesChooseAndCount() throws {
    let columns = try ToolProcess(
      "query", file, "Dog WHERE age > 3", "--columns", "name,age", "--format", "csv")
    expectEqual(columns.output, "name,age\nRex,7\n")
    try expectEqual(ToolProcess("query", file, "Dog", "--columns", "none").status, 64)
    let piped = try ToolProcess("query", file, "-", "--count", input: "Dog LIMIT(1)\n")
    expectEqual(piped.output, "1\n")
    let counts = try ToolProcess("query", file, "Dog", "--count-by", "age", "--json")
    #expect(counts.output.contains(#"{"age":7,"count":1}"#))
    try expectEqual(ToolProcess("query", file, "Dog", "--count", "--explain").status, 64)
    try expectEqual(ToolProcess("query", file, "Dog OFFSET(1)", "--count").output, "2\n")
  }

  @Test func aggregates() throws {
    let sums = try ToolProcess("query", file, "Dog", "--sum", "age", "--avg", "age", "--max", "id")
    expectEqual(
      sums.output,
      """
      +----------+----------+---------+
      | sum(age) | avg(age) | max(id) |
      +----------+----------+---------+
      | 10       | 5.0      | 3       |
      +----------+----------+---------+

      """)
    let groups = try ToolProcess(
      "query", file, "Dog", "--count-by", "age", "--min", "id", "--json")
    #expect(groups.output.contains(#"{"age":7,"count":1,"min(id)":2}"#), "\(groups.output)")
    let csv = try ToolProcess("query", file, "Dog", "--sum", "age", "--format", "csv")
    expectEqual(csv.output, "sum(age)\n10\n")
    try expectEqual(ToolProcess("query", file, "Dog", "--sum", "name").status, 64)
    try expectEqual(ToolProcess("query", file, "Dog", "--sum", "age", "--explain").status, 64)
    try expectEqual(ToolProcess("query", file, "Dog LIMIT(1) OFFSET(1)").status, 64)
  }

  /// The page names every command and option, and says nothing to the formatter by accident.
  @Test func theManualNamesEverything() throws {
    let page = try ToolProcess("manual")
    expectEqual(page.status, 0)
    expectTrue(page.output.contains(".Nm realm\n.Nd "))
    for name in CommandSample.commands {
      expectTrue(page.output.contains(".Ss \(name)\n"), "\(name)")
    }
    expectTrue(page.output.contains(".It Fl \\-count\\-by Ar count\\-by\n"), "\(page.output)")
    let known = [
      "Dd", "Dt", "Os", "Sh", "Ss", "Nm", "Nd", "Cm", "Op", "Ar", "Pp", "br", "Bl", "It", "El",
    ]
    for line in page.output.split(separator: "\n") where line.hasPrefix(".") {
      expectTrue(known.contains(String(line.dropFirst().prefix { $0.isLetter })), "\(line)")
    }
    #expect(!page.output.contains("\n'"))
    #expect(page.output.utf8.allSatisfy { $0 < 0x80 })
    let zsh = try ToolProcess("--generate-completion-script", "zsh")
    expectTrue(zsh.output.hasPrefix("#compdef realm"))
  }

  @Test func versionsAndTerminals() throws {
    let version = try ToolProcess("--version")
    expectEqual(version.status, 0)
    expectTrue(version.output.hasPrefix("realm \(LibraryVersion.text)\npackages:\n"))
    expectTrue(version.output.contains("\n  swift-argument-parser 1."))
    let insert = "INSERT Dog {\"id\": 9, \"name\": \"\\u001b[2J\\u009b\"}"
    try expectEqual(ToolProcess("shell", file, input: insert).status, 0)
    let table = try ToolProcess("query", file, "Dog WHERE id == 9")
    expectTrue(table.output.contains("�[2J�"))
    let json = try ToolProcess("query", file, "Dog WHERE id == 9", "--json")
    #expect(json.output.contains("\u{9b}"))
    let message = try ToolProcess("info", "none\u{1B}[2J.realm")
    expectEqual(message.status, 66)
    #expect(message.errors.contains("none\\u{1b}[2J.realm"))
  }
}
#endif
