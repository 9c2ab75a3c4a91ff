// SPDX-License-Identifier: Apache-2.0

// What code inside `withObservationTracking` keeps of a file.

import Observation
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession

struct AccessTrackerTests {
  private let directory: TemporaryDirectory
  private let shared: SharedFile
  private let table: TableKey
  private let number: Column
  private let object: ObjectKey

  init() throws {
    directory = try TemporaryDirectory()
    shared = SharedFile.of(try DatabaseFile.open(path: directory.file("tracked.realm")))
    let writing = try shared.tables(in: shared.file.beginWrite())
    let table = try writing.createTable(named: "class_Counter")
    number = try table.addColumn(named: "number", type: .int)
    let (key, _) = try table.createObject()
    object = key
    self.table = table.key
    _ = try writing.commit()
  }

  private func write(_ value: Int64, in session: Session) throws {
    try session.beginWrite()
    let table = try #require(try session.transaction?.table(table))
    try table.set(.int(value), number, object)
    session.didMutate()
    try session.commitWrite()
  }

  /// `AccessTracker` 2 and 3.
  @Test func aNotifiedAccessKeepsNoVersion() throws {
    let session = Session(SessionOptions(shared, .current, reading: try shared.newestTables()))
    try session.startObserving()
    let tracker = try #require(session.observers?.tracker)
    let notifiedCount = Locked(0)
    let tracked = try session.snapshot().version
    withObservationTracking {
      tracker.noteProperty(number.key, of: object, in: table, at: session.shownTables)
    } onChange: {
      notifiedCount.withLock { $0 += 1 }
    }
    session.invalidate()
    expectEqual(shared.file.pinnedVersions, [tracked])
    try write(1, in: session)
    expectEqual(notifiedCount.withLock { $0 }, 1)
    session.invalidate()
    expectTrue(shared.file.pinnedVersions.isEmpty)
  }
}
