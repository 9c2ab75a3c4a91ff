// SPDX-License-Identifier: Apache-2.0

// Records of a file become those of another store.

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct RecordCopyTests {
  private static let named = RecordLayout(
    "named", hasPrimaryKey: true, [RecordField("name", .string), RecordField("count", .int)])
  private static let numbered = RecordLayout("numbered", [RecordField("text", .string)])
  private static let layouts = [named, numbered]

  /// A store whose changes fail after some.
  private struct Interrupted: RecordStore {
    let base: LocalRecords
    let left: Locked<Int>

    var isShared: Bool { false }
    var lease: (any RecordLease)? { nil }
    func snapshot() throws(StoreError) -> TableGroup { try base.snapshot() }
    func news() -> AsyncStream<Void> { base.news() }

    func change(by author: RecordAuthor, _ body: RecordChange) throws(StoreError) {
      let mayGoOn = left.withLock { left in
        left -= 1
        return left >= 0
      }
      guard mayGoOn else { throw .unavailable("a test") }
      try base.change(by: author, body)
    }

    func takeChanges() throws(StoreError) -> (changes: RecordChanges, newest: TableGroup) {
      try base.takeChanges()
    }
  }

  private static func records(_ path: String) throws -> LocalRecords {
    let records = LocalRecords(try DatabaseFile.open(path: path))
    try records.change { (group) throws(StorageError) in
      for layout in layouts { try layout.make(in: group) }
      return true
    }
    return records
  }

  /// All records, as texts.
  private static func content(_ records: LocalRecords) throws -> [String] {
    let group = try records.snapshot()
    return try layouts.flatMap { layout in
      let table = try layout.table(in: group)
      return try table.keys().map { key in
        let row = try #require(try table.record(key))
        let values = try layout.fields.map { "\(try row.value($0.name))" }.joined(separator: " ")
        return layout.hasPrimaryKey ? values : "\(key.rawValue) \(values)"
      }.sorted()
    }
  }

  /// `RecordCopy` 1
  @Test(arguments: 0..<5) func aCopyIsMadeAgainAfterAnyInterruption(_ count: Int) throws {
    let directory = try TemporaryDirectory()
    let source = try Self.records(directory.file("source.realm"))
    try source.change { (group) throws(StorageError) in
      let (named, numbered) = (
        try Self.named.table(in: group), try Self.numbered.table(in: group)
      )
      for number in 0..<1_100 as Range<Int64> {
        let row = try named.findOrCreate(.string("\(number)"))
        try row.set(number * 7, "count")
        try numbered.create(under: ObjectKey(3 * number)).set("text \(number)", "text")
      }
      return true
    }
    let target = try Self.records(directory.file("target.realm"))
    // Another value of a record that is there already.
    try target.change { (group) throws(StorageError) in
      try Self.named.table(in: group).findOrCreate(.string("5")).set(1 as Int64, "count")
      return true
    }
    let interrupted = Interrupted(base: target, left: Locked(count))
    #expect(throws: StoreError.unavailable("a test")) {
      try RecordCopy.run(Self.layouts, from: source.snapshot(), to: interrupted)
    }
    try expectEqual(RecordCopy.run(Self.layouts, from: source.snapshot(), to: target), 2_200)
    try expectEqual(Self.content(target), Self.content(source))
  }
}
