// SPDX-License-Identifier: Apache-2.0

// The statements of the shell, and its line.

#if Tools
import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

struct ShellTests {
  private func text(_ outcome: ShellSession.Outcome) throws -> String {
    switch outcome {
    case .message(let text): text
    case .rows(let rows):
      try rows.all().map { $0.map { $0 ?? "-" }.joined(separator: ",") }.joined(separator: "\n")
    case .nothing: ""
    case .quit: "quit"
    }
  }

  @Test func statements() throws {
    let sample = try SampleRealm()
    let session = try ShellSession(path: sample.path, key: nil)
    for (line, expected) in [
      ("", ""), ("Dog WHERE name == 'Rex'", "0,Rex,5,31.5,7,[\"big\",\"line\\nbreak\"],[],{}"),
      (".classes", "Address,1\nDog,2\nPerson,2"),
      (#"INSERT Person {"id": 9, "name": "Cleo", "home": {"city": "Rome"}};"#, "inserted #2"),
      (#"INSERT INTO Dog {"name": "}", "age": 1, "owner": 9}"#, "inserted #2"),
      ("Dog WHERE owner.home.city == 'Rome'", "2,},1,0.0,9,[],[],{}"),
      (##"UPDATE Dog SET {"age": 8, "friends": ["#0"]} WHERE owner.id == 9"##, "1 changed"),
      ("Dog WHERE age == 8", "2,},8,0.0,9,[],[{\"$object\":0}],{}"),
      ("DELETE Dog WHERE age == 8", "1 deleted"), ("DELETE FROM Person WHERE id == 9", "1 deleted"),
      (".classes", "Address,1\nDog,2\nPerson,2"), (".explain Dog", "scan: 2 objects"),
      (".quit", "quit"),
    ] {
      try expectEqual(text(session.run(line)), expected, "\(line)")
    }
  }

  /// `ShellSession` 1
  @Test func readingLeavesTheFileAlone() throws {
    let sample = try SampleRealm()
    try sample.removeLockFile()
    let before = try sample.state()
    let session = try ShellSession(path: sample.path, key: nil)
    _ = try session.run("Dog")
    _ = try session.run(".schema Dog")
    expectEqual(session.completions(of: "Dog WHERE na"), ["name"])
    #expect(try sample.state() == before)
  }

  /// `ShellSession` 2
  @Test func transactionsAreCommittedOrUndoneAsAWhole() throws {
    let sample = try SampleRealm()
    let session = try ShellSession(path: sample.path, key: nil)
    func count() throws -> Int? {
      try RealmReader(path: sample.path).group.table(named: "class_Dog")?.objectCount()
    }
    _ = try session.run("begin")
    _ = try session.run("DELETE Dog WHERE age == 5")
    #expect(try text(session.run(".classes")).contains("Dog,1"))
    try expectEqual(count(), 2)
    _ = try session.run("ROLLBACK")
    try expectEqual(count(), 2)
    _ = try session.run("BEGIN")
    _ = try session.run("DELETE Dog")
    _ = try session.run("COMMIT")
    try expectEqual(count(), 0)
  }

  /// `ShellSession` 2
  @Test func aStatementThatFailsIsUndoneAlone() throws {
    let sample = try SampleRealm()
    let session = try ShellSession(path: sample.path, key: nil)
    _ = try session.run("BEGIN")
    _ = try session.run(#"INSERT Dog {"name": "Bo", "age": 3}"#)
    let before = try text(session.run("Dog SORT(name ASC)"))
    for line in [
      // After the object was made; after the first of two properties, and of several objects.
      #"INSERT Dog {"name": 5}"#, #"UPDATE Dog SET {"age": 77, "owner": 99}"#,
      #"INSERT Person {"id": 70, "name": "x", "home": {"city": 1}}"#, "DELETE Cat",
    ] {
      #expect(throws: ToolFailure.self) { try session.run(line) }
      expectTrue(session.isInTransaction)
      try expectEqual(text(session.run("Dog SORT(name ASC)")), before, "\(line)")
      try expectEqual(text(session.run("Person WHERE id == 70")), "")
      _ = try session.run(#"UPDATE Dog SET {"age": 4} WHERE name == 'nobody'"#)
    }
    _ = try session.run(#"INSERT Dog {"name": "Cy", "age": 4}"#)
    _ = try session.run("COMMIT")
    try expectEqual(text(session.run(".classes")), "Address,1\nDog,4\nPerson,2")
    try expectTrue(IntegrityReport(path: sample.path).findings.isEmpty)
  }

  /// Runs a statement while its end is asked for again and again.
  private func runStopped(
    _ line: String, _ session: ShellSession, _ stop: StatementStop
  ) throws -> any Error {
    let (isOver, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      while isOver.wait(timeout: .now() + 0.0005) == .timedOut { stop.request() }
      hasEnded.signal()
    }
    thread.start()
    defer {
      isOver.signal()
      hasEnded.wait()
    }
    do {
      _ = try session.run(line)
      // It was over before the first request.
      return ToolFailure.usage("not stopped")
    } catch { return error }
  }

  /// `StatementStop` 1
  @Test(.timeLimit(.minutes(10))) func aStoppedStatementLeavesItsTransaction() throws {
    let sample = try SampleRealm(dogCount: 3000)
    let stop = StatementStop()
    let session = try ShellSession(path: sample.path, key: nil, stop: stop)
    guard case .rows(let rows) = try session.run("Dog") else {
      Issue.record("a query gives rows")
      return
    }
    expectEqual(rows.count, 3002)
    var printed = 0
    #expect(throws: StatementStop.Stopped.self) {
      try rows.forEach { _ in
        printed += 1
        if printed == 10 { stop.request() }
      }
    }
    expectEqual(printed, 10)
    let version = try FileReport(path: sample.path).version
    // A statement with a transaction of its own stops among its changes.
    var error = try runStopped(#"UPDATE Dog SET {"age": 1}"#, session, stop)
    while !(error is StatementStop.Stopped) {
      error = try runStopped(#"UPDATE Dog SET {"age": 1}"#, session, stop)
    }
    expectEqual(ToolFailure(error).message, "The statement was stopped, and has changed nothing.")
    _ = try session.run("BEGIN")
    _ = try session.run("DELETE Dog WHERE name == 'Fido'")
    // In a transaction they are undone alone.
    let inside = try runStopped("DELETE Dog WHERE name BEGINSWITH 'Dog'", session, stop)
    expectTrue(session.isInTransaction)
    let left = inside is StatementStop.Stopped ? 3001 : 1
    guard case .rows(let counts) = try session.run(".classes") else { return }
    try expectEqual(counts.all().first { $0[0] == "Dog" }, ["Dog", "\(left)"])
    _ = try session.run("COMMIT")
    try expectEqual(
      RealmReader(path: sample.path).group.table(named: "class_Dog")?.objectCount(), left)
    try expectTrue(FileReport(path: sample.path).version > version)
  }

  /// The wait for another writer ends, too.
  @Test(.timeLimit(.minutes(10))) func aStatementThatWaitsIsStopped() throws {
    let sample = try SampleRealm()
    let other = try RealmWriter(path: sample.path, creates: false)
    let group = try other.begin()
    let stop = StatementStop()
    let session = try ShellSession(path: sample.path, key: nil, stop: stop)
    let error = try runStopped("DELETE Dog", session, stop)
    expectTrue(error is StatementStop.Stopped, "\(error)")
    group.rollback()
    guard case .message("2 deleted") = try session.run("DELETE Dog") else {
      Issue.record("the next statement runs")
      return
    }
  }

  @Test(arguments: [
    "COMMIT", "ROLLBACK", ".nothing", "INSERT Dog", #"INSERT Cat {"a": 1}"#,
    #"INSERT Dog {"colour": 1}"#, #"INSERT Person {"name": "x"}"#, #"INSERT Person {"id": 7}"#,
    #"INSERT Address {"city": "x"}"#, "UPDATE Dog", #"UPDATE Person SET {"id": 3}"#,
    #"UPDATE Dog SET {"age": "x"}"#, #"UPDATE Dog SET {"owner": 99}"#, "DELETE Cat", "Cat",
    "INSERT Dog {\"name\": \"x\"} y", "INSERT Dog {broken",
  ])
  func mistakesChangeNothing(_ line: String) throws {
    let sample = try SampleRealm()
    let before = try FileReport(path: sample.path).version
    let session = try ShellSession(path: sample.path, key: nil)
    let error = #expect(throws: ToolFailure.self) { try session.run(line) }
    expectEqual(error?.status, .usage, "\(error?.message ?? "")")
    try expectEqual(FileReport(path: sample.path).version, before)
  }

  @Test(arguments: [
    ("D", ["DELETE", "Dog"]), ("do", ["Dog"]), ("UPDATE P", ["Person"]),
    ("Dog WHERE ow", ["owner"]), ("Dog WHERE owner.na", ["owner.name"]),
    ("Dog WHERE owner.home.", ["owner.home.city"]), ("Dog W", ["WHERE"]),
    ("Dog WHERE age > 3 SO", ["SORT("]), ("Cat WHERE x", []),
  ])
  func words(_ line: String, _ expected: [String]) throws {
    let sample = try SampleRealm()
    let session = try ShellSession(path: sample.path, key: nil)
    expectEqual(session.completions(of: line).filter { $0 != "weight" }, expected)
  }

  // MARK: The line

  private func typed(_ keys: [LineEditor.Key], _ editor: inout LineEditor) -> LineEditor.Outcome {
    var last = LineEditor.Outcome.editing
    for key in keys { last = editor.press(key) }
    return last
  }

  private func keys(_ text: String) -> [LineEditor.Key] { text.map { .character($0) } }

  @Test func linesAreEdited() {
    var editor = LineEditor()
    _ = typed(keys("Dog whre"), &editor)
    _ = typed([.left, .left, .character("e"), .end, .character(" ")], &editor)
    expectEqual(String(editor.text), "Dog where ")
    _ = typed([.eraseWord, .home, .delete, .character("F"), .right, .eraseRest], &editor)
    expectEqual(String(editor.text), "Fo")
    expectEqual(typed([.backspace, .enter], &editor), .line("F"))
    expectEqual(typed([.backspace, .left, .delete], &editor), .editing)
    expectEqual(typed([.endOfInput], &editor), .ended)
    expectEqual(typed(keys("x") + [.interrupt], &editor), .abandoned)
    expectTrue(editor.text.isEmpty)
  }

  @Test func earlierLinesComeBack() {
    var editor = LineEditor(history: ["one", "two"])
    _ = typed(keys("new") + [.up, .up, .up], &editor)
    expectEqual(String(editor.text), "one")
    expectEqual(typed([.down, .enter], &editor), .line("two"))
    expectEqual(editor.history, ["one", "two"])
    expectEqual(typed(keys("three") + [.enter], &editor), .line("three"))
    expectEqual(editor.history, ["one", "two", "three"])
    _ = typed(keys("un") + [.up, .down], &editor)
    expectEqual(String(editor.text), "un")
  }

  @Test func wordsAreCompleted() {
    var editor = LineEditor()
    let words: (String) -> [String] = { line in
      ["WHERE", "weight", "weather"].filter {
        $0.hasPrefix(String(line.split(separator: " ").last ?? ""))
      }
    }
    _ = typed(keys("Dog w"), &editor)
    expectEqual(editor.press(.tab, completions: words), .editing)
    expectEqual(String(editor.text), "Dog we")
    expectEqual(editor.press(.tab, completions: words), .choices(["weight", "weather"]))
    _ = typed(keys("i"), &editor)
    _ = editor.press(.tab, completions: words)
    expectEqual(String(editor.text), "Dog weight ")
  }
}
#endif
