// SPDX-License-Identifier: Apache-2.0

// The files that servers share, in the database.
//
// Invariants:
// 1. The version of a file grows by one with each change, and a row is never removed: the number of
//    rows and the sum of their versions say whether anything has changed.

#if Postgres
package import RealmServerEngine
import RealmStorage

/// Keeps the files of servers in a table of the database.
package final class PostgresFiles: SharedFiles {
  /// What distinguishes one state of all files from another.
  struct Mark: Hashable, Sendable {
    let count: Int64
    let versionSum: Int64

    init(_ rows: DatabaseRows) {
      let row = DatabaseRowReader(rows.first ?? [])
      count = row.optionalInteger(0) ?? 0
      versionSum = row.optionalInteger(1) ?? 0
    }
  }

  private let database: Database
  private let streams = Locked<[Int: AsyncStream<Void>.Continuation]>([:])
  private let streamCount = Locked(0)
  private let mark = Locked<Mark?>(nil)

  init(_ database: Database) { self.database = database }

  package func all() throws(StoreError) -> [SharedServerFile] {
    var files: [SharedServerFile] = []
    for values in try database.repeating([Statements.sharedFiles()])[0] {
      files.append(try StoreError.reading(Self.file(values)))
    }
    return files
  }

  private static func file(
    _ values: [DatabaseValue]
  ) throws(StoredValueError) -> SharedServerFile {
    let row = DatabaseRowReader(values)
    return SharedServerFile(
      path: try row.text(0), version: try row.integer(1),
      bytes: row.optionalBytes(2))
  }

  package func put(
    _ bytes: [UInt8]?, at path: String, after version: Int64
  ) throws(StoreError) -> Bool {
    if let refusal = PostgresRealm.refusal(of: path) { throw refusal }
    let content = bytes.map { DatabaseValue.bytes($0) } ?? .null
    var mayBeThere = false
    return try database.repeating { () throws(DatabaseError) -> Bool in
      // A broken connection leaves the outcome open: a change by this call has its content.
      if mayBeThere {
        // `PostgresRealm+Append` 4
        let row = try database.once([
          Statements.begin(), Statements.sharedFile(.text(path)), Statements.commit(),
        ])[1].first
        if let row, row == [.int(version + 1), content] { return true }
      }
      mayBeThere = true
      let rows = try database.once([
        Statements.putSharedFile(.text(path), .int(version), content),
        Statements.notify(.text(Self.notice)),
      ])[0]
      return !rows.isEmpty
    }
  }

  // MARK: News

  /// What is notified after a change.
  static let notice = "files"

  package func news() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = streamCount.withLock { count in
        count += 1
        return count
      }
      streams.withLock { $0[number] = continuation }
      // What came before is news, too.
      continuation.yield()
      continuation.onTermination = { [weak self] _ in
        self?.streams.withLock { $0[number] = nil }
      }
    }
  }

  /// Takes the present state of all files, and wakes those who wait for news.
  func learn(_ rows: DatabaseRows) {
    let found = Mark(rows)
    let isNews = mark.withLock { mark in
      defer { mark = found }
      return mark != found
    }
    guard isNews else { return }
    for stream in streams.withLock({ Array($0.values) }) { stream.yield() }
  }
}
#endif
