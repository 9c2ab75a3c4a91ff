// SPDX-License-Identifier: Apache-2.0

// Log messages: those of the default level on standard error, others where they were asked for.

import Foundation
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmStorage
@_spi(RealmTesting) @testable import RealmSwift

private class DraggedToy: Object {
  @Persisted var name = ""
  var isDragged = false
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum Loudness: Int, PersistableEnum { case soft = 1, loud }

private class LoudToy: Object {
  @Persisted var loudness: Loudness
  @Persisted var last: Loudness?
  @Persisted var all: List<Loudness?>
  @Persisted var byRoom: Map<String, Loudness?>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The shared logger is one for the process, so the tests that set it run one after the other, and
/// read messages about their own files only.
@Suite(.serialized) struct LoggerTests {
  private final class Messages: Sendable {
    private let all = Mutex<[(LogLevel, String)]>([])

    func add(_ level: LogLevel, _ message: String) { all.withLock { $0.append((level, message)) } }

    func containing(_ text: String) -> [String] {
      all.withLock { $0.map(\.1).filter { $0.contains(text) } }
    }

    func about(_ file: TemporaryRealm) -> [(LogLevel, String)] {
      all.withLock { $0.filter { $0.1.contains(file.directory.path) } }
    }
  }

  /// What is logged at `level` about a file while `body` runs.
  private func messages(
    at level: LogLevel, _ file: TemporaryRealm, _ body: () throws -> Void
  ) rethrows -> [(LogLevel, String)] {
    let messages = Messages()
    let before = Logger.shared
    Logger.shared = Logger(level: level) { messages.add($0, $1) }
    defer { Logger.shared = before }
    try body()
    return messages.about(file)
  }

  /// The messages of a level that contain a text.
  private func messages(
    at level: LogLevel, containing text: String, _ body: () throws -> Void
  ) rethrows -> [String] {
    let messages = Messages()
    let before = Logger.shared
    Logger.shared = Logger(level: level) { messages.add($0, $1) }
    defer { Logger.shared = before }
    try body()
    return messages.containing(text)
  }

  /// `Logger` 2.
  @Test func aLogFunctionMayUseTheLogger() {
    let messages = Messages()
    let before = Logger.shared
    defer { Logger.shared = before }
    Logger.shared = Logger(level: .info) { level, message in
      messages.add(level, message)
      guard message.contains("logger test 1") else { return }
      Logger.shared.level = .detail
      Logger.shared = Logger(level: .info) { messages.add($0, $1) }
      Logger.log(.info, "logger test 2")
    }
    Logger.log(.info, "logger test 1")
    expectEqual(
      messages.containing("logger test"), ["DB: logger test 1", "DB: logger test 2"])
  }

  // MARK: - What a program loses

  @Test func whatCannotBeSettledIsAnError() throws {
    let file = try TemporaryRealm()
    _ = try file.open()
    let path = file.configuration.location.path
    let error = StorageError.system(operation: "Syncing", path: path, code: EIO)
    let told = messages(at: .error, file) {
      UnsettledVersions(path: path, versions: 7...9, error: error).report()
      UnsettledVersions(path: path, versions: 7...7, error: error).report()
    }
    expectEqual(told.map(\.0), [.error, .error])
    for part in ["DB: Versions 7 to 9 of '\(path)'", "\(error)", "'deferred'", "open it again"] {
      expectTrue(told.first?.1.contains(part) == true, "\(told)")
    }
    expectTrue(told.last?.1.hasPrefix("DB: Version 7 of '\(path)'") == true, "\(told)")
  }

  @Test func plainPropertiesBesideStoredOnesAreInformationOnceForEachClass() throws {
    let file = try TemporaryRealm([DraggedToy.self])
    let told = try messages(at: .info, file) {
      _ = try file.open()
      _ = try file.open()
    }
    expectEqual(told.map(\.0), [.info])
    expectEqual(
      told.first?.1,
      "DB: Opening '\(file.configuration.location.path)': declared without @Persisted, and "
        + "therefore kept by one instance only and not stored: 'DraggedToy.isDragged'. "
        + "'ignoredProperties()' with their names says that this is meant.")
  }

  @Test func valuesThatNoPropertyTakesAreReportedOnceForEachClass() throws {
    let realm = try TemporaryRealm([DraggedToy.self]).open()
    let told = try messages(at: .warn, containing: "'DraggedToy'") {
      for _ in 0..<2 {
        try realm.write {
          _ = try realm.create(
            DraggedToy.self,
            validating: ["name": "a", "size": 1, "isDragged": true] as [String: Any])
        }
      }
    }
    expectEqual(
      told,
      [
        "DB: Values were ignored that 'DraggedToy' has no property for: 'isDragged', 'size'."
      ])
  }

  @Test func rawValuesOfNoCaseAreReportedOnceAndRefusedByValidation() throws {
    let realm = try TemporaryRealm([LoudToy.self]).open()
    let told = try messages(at: .warn, containing: "'Loudness'") {
      try realm.write {
        let toy = realm.create(LoudToy.self, value: ["last": 7])
        toy["last"] = 8
        expectTrue(toy.last == nil)
      }
    }
    expectEqual(
      told,
      [
        "DB: The raw value '7' was given for the enumeration 'Loudness', and is no case of it: it "
          + "reads as nil where the property is optional, and traps where it is not."
      ])
    let refused: [([String: Any], String)] = [
      (["loudness": 7], "loudness"), (["last": 7], "last"), (["all": [1, 7]], "all"),
      (["byRoom": ["hall": 7]], "byRoom"),
    ]
    for (value, path) in refused {
      let error = #expect(throws: ObjectValueError.self) {
        try realm.write { _ = try realm.create(LoudToy.self, validating: value) }
      }
      expectEqual(error?.keyPath, path)
    }
    let fitting: [String: Any] = [
      "loudness": 2, "last": NSNull(), "all": [1, NSNull()] as [Any],
      "byRoom": ["hall": Loudness.loud, "den": NSNull()] as [String: Any],
    ]
    try realm.write {
      let toy = try realm.create(LoudToy.self, validating: fitting)
      expectEqual(Array(toy.all), [.soft, nil])
      expectEqual(toy.byRoom["hall"], .loud)
    }
  }

  /// In a process of its own: here the level is that of `QuietLog`.
  @Test func informationIsLoggedToStandardError() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      expectEqual(Logger.shared.level, .info)
      let file = try TemporaryRealm.ofFirstAge()
      Logger.shared.level = .info
      file.becomeSecondAge(version: 1, MigrationTests.migrateAll)
      _ = try file.open()
      Logger.log(.detail, "more than is wanted")
      Logger.shared.level = .off
      Logger.log(.fatal, "nothing any more")
    }
    let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n").filter { $0.contains("io.realm") }
    expectEqual(lines.count, 1)
    expectEqual(lines.first?.contains(" info io.realm"), true)
    expectEqual(lines.first?.hasSuffix("from schema version 0 to 1"), true)
  }

  /// `Logger` 1.
  @Test func theTextOfAMessageThatIsNotWantedIsNotMade() throws {
    let file = try TemporaryRealm()
    func text() -> String {
      Issue.record("nobody makes this text")
      return ""
    }
    let told = messages(at: .warn, file) { Logger.log(.info, text()) }
    expectTrue(told.isEmpty)
  }

  @Test func aLoggerBeginsAtInfo() {
    expectEqual(Logger(logFunction: { _, _ in }).level, .info)
  }

  @Test func openingIsADetail() throws {
    let file = try TemporaryRealm()
    let told = try messages(at: .detail, file) { _ = try file.open() }
    expectEqual(told.map(\.0), [.detail, .detail])
    #expect(told.allSatisfy { $0.1.hasPrefix("DB: ") })
    expectEqual(told.first?.1.contains("Opened"), true)
    expectEqual(told.last?.1.contains("Closed"), true)
    #expect(try messages(at: .info, file) { _ = try file.open() }.isEmpty)
  }

  @Test func theSchemaOfWhatIsOpenedIsATrace() throws {
    let file = try TemporaryRealm()
    let told = try messages(at: .all, file) { _ = try file.open() }
    let traces = told.filter { $0.0 == .trace }.map(\.1)
    #expect(traces.contains { $0.hasPrefix("DB: ") && $0.hasSuffix(" at schema version 0") })
  }

  @Test func transactionsAreTraces() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    let told = try messages(at: .trace, file) {
      try realm.write { _ = realm.create(Dog.self) }
    }
    #expect(told.allSatisfy { $0.0 == .trace })
    #expect(told.contains { $0.1.contains("Began to write on version") })
    #expect(told.contains { $0.1.contains("Wrote version") })
  }

  @Test func transactionsThatNobodyEndsAreWarnings() throws {
    let file = try TemporaryRealm()
    let told = try messages(at: .warn, file) {
      // The thread that alone could end it has ended.
      let thread = Thread { try? file.open().beginWrite() }
      thread.start()
      while !thread.isFinished { usleep(1000) }
      let realm = try file.open()
      realm.beginWrite()
      realm.invalidate()
    }
    expectEqual(told.map(\.0), [.warn, .warn])
  }

  @Test func migrationsAreInformation() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge(version: 1, MigrationTests.migrateAll)
    let told = try messages(at: .info, file) { _ = try file.open() }
    expectEqual(told.count, 1)
    expectEqual(told.first?.1.hasSuffix("from schema version 0 to 1"), true)
  }

  @Test func levelsAreOrdered() {
    expectEqual(LogLevel.allCases, LogLevel.allCases.sorted())
    expectTrue(LogLevel.off < .fatal)
    expectTrue(LogLevel.trace < LogLevel.all)
    expectTrue(!(LogLevel.all < .off))
    expectEqual(LogLevel.allCases.map(\.rawValue), Array(0...8))
    let logger = Logger(level: .error) { _, _ in }
    logger.level = .debug
    expectEqual(logger.level, .debug)
  }
}
