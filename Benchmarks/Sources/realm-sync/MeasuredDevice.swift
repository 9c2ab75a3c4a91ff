// SPDX-License-Identifier: Apache-2.0

// A whole client: a file on disk with its agent and its session.

#if Server
import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables

/// A device with persons.
final class MeasuredDevice: Sendable {
  let agent: SyncAgent
  private let driver: ClientDriver
  private let settings: SessionSettings
  private let session = Locked<UInt64?>(nil)
  private let recorded = RecordedWrite()
  private let schemas = SchemaCache()

  /// Opens a new file, which subscribes to all persons in flexible mode.
  init(_ path: String, _ server: MeasuredServer) throws {
    let file = try DatabaseFile.open(
      path: path, options: OpenOptions(history: .syncClient))
    agent = try SyncAgent(file)
    driver = server.connection()
    settings = SessionSettings(partition: server.partition)
    guard server.mode == .flexible else { return }
    try write { group in
      let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
      try SubscriptionStore.make(in: group).add(
        1,
        [
          StoredSubscription(
            id: Bytes12(high: 1, low: 0), createdAt: now, updatedAt: now, objectClass: "Person",
            query: "TRUEPREDICATE")
        ])
    }
  }

  /// Synchronises until everything that the server has is in the file.
  func download() async throws {
    let (versions, news) = AsyncStream.makeStream(of: Void.self)
    let listener = try agent.file.onNewVersion { _ in news.yield() }
    defer { listener.cancel() }
    let session = try driver.begin(agent, settings)
    self.session.withLock { $0 = session }
    try await driver.wait(for: .download, of: session)
    // The objects of a subscription are complete when its set is.
    var next = versions.makeAsyncIterator()
    while let set = try QuerySet.all(in: version()).last, set.state != .complete {
      await next.next()
    }
  }

  private func version() throws -> TableGroup {
    try TableGroup(agent.file.snapshot(), schemas: schemas)
  }

  func close() async {
    if let session = session.withLock({ $0 }) { await driver.end(session) }
    await agent.close()
  }

  private func write(_ body: (WriteGroup) throws -> Void) throws {
    let group = try WriteGroup(agent.file.beginWrite(), schemas: schemas)
    do {
      try recorded.attach(to: group)
      try body(group)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }

  /// Changes the age of a person, whom it makes if there is none of that number.
  func setAge(_ age: Int64, of person: Int64) throws {
    try write { group in
      let persons = try group.table(named: "class_Person") ?? makeClass(in: group)
      guard let column = persons.schema.column(named: "age") else { return }
      try persons.set(.int(age), column, persons.findOrCreate(primaryKey: .int(person)).key)
    }
  }

  private func makeClass(in group: WriteGroup) throws -> WritableTable {
    let table = try group.createTable(named: "class_Person")
    let id = try table.addColumn(named: "_id", type: .int)
    try table.addColumn(named: "age", type: .int)
    try table.setPrimaryKey(id.key)
    return table
  }

  /// The age of a person; nil if there is none.
  func age(of person: Int64) throws -> Int64? {
    guard let table = try version().table(named: "class_Person"),
      let column = table.schema.column(named: "age"),
      let row = try table.findRow(primaryKey: person)?.row,
      case .int(let age) = try row.value(of: column)
    else { return nil }
    return age
  }

  /// The digest of all objects.
  func digest() throws -> StateDigest {
    try StateDigest(of: version())
  }
}
#endif
