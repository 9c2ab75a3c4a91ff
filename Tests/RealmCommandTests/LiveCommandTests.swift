// SPDX-License-Identifier: Apache-2.0

// The commands that run beside others, as processes.

#if Tools
import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10))) struct LiveCommandTests {
  private let directory: TemporaryDirectory
  private let file: String

  init() throws {
    directory = try TemporaryDirectory()
    file = directory.file("dogs.realm")
    try CommandSample.make(at: file)
  }

  @Test func studioServesThePageUntilItIsStopped() async throws {
    let program = try SpawnedProgram(ToolProcess.program.path, ["studio", file], output: .pipe)
    defer { program.kill() }
    let output = try #require(program.output)
    var first = Data()
    while !first.contains(10) {
      let more = output.availableData
      try #require(!more.isEmpty)
      first += more
    }
    let address = String(decoding: first, as: UTF8.self).trimmingCharacters(in: .newlines)
    expectTrue(address.hasPrefix("http://127.0.0.1:"))
    expectTrue(address.contains("/?token="))
    let (page, _) = try await URLSession.shared.data(from: try #require(URL(string: address)))
    expectTrue(String(decoding: page, as: UTF8.self).contains("<html"))
    program.kill(SIGTERM)
    expectEqual(program.waitUntilExit(), 0)
  }

  @Test func studioSaysWhatIsMissing() throws {
    let missing = try ToolProcess("studio", directory.file("missing.realm"))
    expectEqual(missing.status, 66)
    expectTrue(missing.errors.contains("Check the path."))
    try expectEqual(ToolProcess("studio").status, 64)
    try expectEqual(ToolProcess("studio", file, "--port", "70000").status, 64)
  }

  @Test func watchShowsTheChangesOfOtherProcesses() throws {
    let program = try SpawnedProgram(
      ToolProcess.program.path, ["watch", file, "Dog WHERE age > 5", "--count", "2", "--json"],
      output: .pipe)
    defer { program.kill() }
    let output = try #require(program.output)
    // The first line says that it watches.
    var first = Data()
    while !first.contains(10) { first += output.availableData }
    #expect(String(decoding: first, as: UTF8.self).hasPrefix(#"{"watching":"#))
    for line in [
      #"UPDATE Dog SET {"age": 6} WHERE id == 1"#, "DELETE Dog WHERE id == 3",
      #"UPDATE Dog SET {"age": 1} WHERE id == 2"#,
    ] {
      try expectEqual(ToolProcess("shell", file, input: line + "\n").status, 0)
    }
    let rest = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
    expectEqual(program.waitUntilExit(), 0)
    let lines = rest.split(separator: "\n")
    expectEqual(lines.count, 2)
    expectEqual(
      lines.first?.contains(#""change":"inserted","class":"Dog","key":0"#), true, "\(rest)")
    expectEqual(lines.last?.contains(#""change":"deleted","class":"Dog","key":1"#), true, "\(rest)")
    try expectEqual(ToolProcess("watch", file, "Cat").status, 64)
    try expectEqual(ToolProcess("watch", directory.file("none")).status, 66)
  }

  @Test func shellRunsLinesOfAPipe() throws {
    let fine = try ToolProcess(
      "shell", file,
      input: "BEGIN\nINSERT Dog {\"id\": 9, \"name\": \"Spot\"}\nCOMMIT\nDog WHERE id == 9\n")
    expectEqual(fine.status, 0)
    #expect(fine.output.contains("begun\ninserted #3\ncommitted\n"))
    expectTrue(fine.output.contains("| 3 | 9  | Spot | –   |"))
    let bad = try ToolProcess("shell", file, input: "BEGIN\nDELETE Dog\nnonsense\nCOMMIT\n")
    expectEqual(bad.status, 64)
    expectTrue(bad.errors.contains("There is no class 'nonsense'"))
    let open = try ToolProcess("shell", file, input: "BEGIN\nDELETE Dog\n")
    expectEqual(open.status, 65)
    expectTrue(open.errors.contains("which was undone"))
    let json = try ToolProcess("shell", file, "--json", input: "Dog WHERE id == 9\n")
    expectEqual(json.output, ##"{"#":"3","id":"9","name":"Spot","age":null}"## + "\n")
    try expectEqual(ToolProcess("query", file, "Dog", "--count").output, "4\n")
  }

  @Test func sqlite() throws {
    let out = directory.file("dogs.sqlite")
    let export = try ToolProcess("export", file, "--format", "sqlite", "-o", out)
    guard export.status != 69 else { return }
    expectEqual(export.status, 0)
    try expectEqual(ToolProcess("export", file, "--format", "sqlite").status, 64)
    let new = directory.file("new.realm")
    let imported = try ToolProcess("import", new, out)
    expectEqual(imported.status, 0)
    expectTrue(imported.output.hasSuffix("3 created, 0 changed.\n"))
    try expectEqual(ToolProcess("diff", file, new).status, 0)
  }
}
#endif
