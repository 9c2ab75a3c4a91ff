// SPDX-License-Identifier: Apache-2.0

// Log messages, which are delivered only where they were asked for.

import Foundation
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

/// A class whose port dropped `@objc dynamic`.
private class PortedDog: Object {
  var name = ""
  var age = 0
  var isSelected = false
  lazy var upper = name.uppercased()
  let toys = List<PortedToy>()
  override class func ignoredProperties() -> [String] { ["isSelected"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class PortedToy: Object {
  @Persisted var name = ""
  var isDragged = false
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The shared logger is one for the process, so the tests that set it run one after the other, and
/// read messages about their own files only.
@Suite(.serialized) struct LoggerTests {
  private final class Messages: Sendable {
    private let all = Mutex<[(LogLevel, String)]>([])

    func add(_ level: LogLevel, _ message: String) { all.withLock { $0.append((level, message)) } }

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

  /// `Logger` 1.
  @Test func nothingIsLoggedUnlessSomebodyAsks() {
    expectEqual(Logger.shared.level, .off)
    func text() -> String {
      Issue.record("nobody makes this text")
      return ""
    }
    Logger.log(.fatal, text())
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

  @Test func aClassWithoutPersistedPropertiesIsReportedOnce() throws {
    let file = try TemporaryRealm([PortedDog.self, PortedToy.self])
    let told = try messages(at: .warn, file) {
      _ = try file.open()
      _ = try file.open()
    }
    expectEqual(told.map(\.0), [.warn])
    expectEqual(
      told.first?.1,
      "DB: Opening '\(file.configuration.location.path)': declared without "
        + "@Persisted and therefore not stored: 'PortedDog.name', 'PortedDog.age'. Declare them as "
        + "'@Persisted var', or return their names from 'ignoredProperties()'.")
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
    expectEqual(Logger.shared.level, .off)
  }
}
