// SPDX-License-Identifier: Apache-2.0

// A device whose file is in memory and whose server is real.

#if Server
import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

/// A device with notes: objects with a number and a text.
final class ServedDevice: Sendable {
  let agent: SyncAgent
  private let driver: ClientDriver
  private let session: UInt64
  private let system: SimulatedFileSystem
  private let recorded: RecordedWrite

  /// - Parameter daysAhead: How wrong the device's clock is.
  init(
    _ driver: ClientDriver, partition: String? = "\"home\"", daysAhead: Int64 = 0
  ) async throws {
    system = try SimulatedFileSystem()
    let file = try system.openDatabase(history: .syncClient)
    agent = try SyncAgent(file)
    recorded = RecordedWrite {
      let time = Timestamp.now()
      return OriginTimestamp(unixMilliseconds: (time.seconds + daysAhead * 86_400) * 1_000)
    }
    self.driver = driver
    session = try driver.begin(agent, SessionSettings(partition: partition))
  }

  func close() async {
    await driver.end(session)
    await agent.close()
  }

  /// Waits until everything is uploaded or downloaded.
  func wait(for kind: SessionWait) async throws {
    try await driver.wait(for: kind, of: session)
  }

  func write(_ body: (WriteGroup) throws -> Void) throws {
    let group = try WriteGroup(agent.file.beginWrite(), schemas: SchemaCache())
    do {
      try recorded.attach(to: group)
      try body(group)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }

  /// Adds a note, or changes its text.
  func put(_ number: Int64, _ text: String) throws {
    try write { group in
      if try group.table(named: "class_Note") == nil {
        let table = try group.createTable(named: "class_Note")
        let id = try table.addColumn(named: "_id", type: .int)
        try table.addColumn(named: "text", type: .string)
        try table.setPrimaryKey(id.key)
      }
      let table = try #require(try group.table(named: "class_Note"))
      let key = try table.findOrCreate(primaryKey: .int(number)).key
      try table.set(.string(text), try #require(table.schema.column(named: "text")), key)
    }
  }

  /// Subscribes to all notes.
  func subscribe() throws {
    try write { group in
      let store = try SubscriptionStore.make(in: group)
      let version = (try store.versions().last ?? 0) + 1
      let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
      try store.add(
        version,
        [
          StoredSubscription(
            id: Bytes12(high: version, low: 0), createdAt: now, updatedAt: now,
            objectClass: "Note", query: "TRUEPREDICATE")
        ])
    }
  }

  /// The texts of all notes by their numbers.
  func notes() throws -> [Int64: String] {
    let group = try TableGroup(agent.file.snapshot(), schemas: SchemaCache())
    guard let table = try group.table(named: "class_Note") else { return [:] }
    let id = try #require(table.schema.column(named: "_id"))
    let text = try #require(table.schema.column(named: "text"))
    var notes: [Int64: String] = [:]
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let row = cluster.row(at: index)
        if case .int(let number) = try row.value(of: id),
          case .string(let string) = try row.value(of: text)
        {
          notes[number] = string
        }
      }
    }
    return notes
  }

  /// Waits until the notes are these.
  func wait(for expected: [Int64: String]) async throws {
    for _ in 0..<15_000 {
      if try notes() == expected { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    try expectEqual(notes(), expected)
  }
}
#endif
