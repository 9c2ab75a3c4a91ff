// SPDX-License-Identifier: Apache-2.0

// How many objects of a bootstrap are stored, merged and shown in a second.

import RealmStorage
import RealmSync
import RealmSyncProtocol

extension SyncRow {
  /// A bootstrap of 200,000 objects with three properties beside the key, in changesets of 1,000
  /// objects, into a new file in memory: its parts are kept, then integrated.
  static var integration: SyncRow {
    let count = 200_000
    let entries = persons(count)
    return SyncRow(name: "integration", unit: "objects") {
      return rate(of: count) {
        do {
          let file = try DatabaseFile.open(
            path: "/integration.realm",
            options: OpenOptions(isInMemory: true, history: .syncClient))
          var bootstraps = BootstrapIntegration(file)
          var rest = entries[...]
          while !rest.isEmpty {
            let part = rest.prefix(40)
            rest = rest.dropFirst(40)
            try bootstraps.keep(
              Array(part), ofQuery: 1, cursors: rest.isEmpty ? Self.cursors : nil)
          }
          let version = try bootstraps.process()
          precondition(version == 1)
        } catch {
          preconditionFailure("\(error)")
        }
      }
    }
  }

  private static let cursors = SyncCursors(
    download: DownloadCursor(serverVersion: 5), latest: SaltedVersion(version: 5, salt: 1))

  /// Persons, in changesets of 1,000, of which the first has the class.
  static func persons(_ count: Int) -> [DownloadEntry] {
    stride(from: 0, to: count, by: 1000).map { first in
      var encoder = ChangesetEncoder()
      let table = encoder.intern("Person")
      let fields = ["_id", "name", "age", "score"].map { encoder.intern($0) }
      if first == 0 { addClass(table, fields, &encoder) }
      for number in first..<first + 1000 {
        let key = PrimaryKey.int(Int64(number))
        encoder.append(.createObject(.init(table: table, key: key)))
        var path = InstructionPath(table: table, key: key, field: fields[1])
        encoder.appendUpdate(path, text: "person \(number)")
        path.field = fields[2]
        encoder.appendUpdate(path, .int(Int64(number % 90)))
        path.field = fields[3]
        encoder.appendUpdate(path, .double(Double(number) / 7))
      }
      let bytes = encoder.take()
      return DownloadEntry(
        serverVersion: 5, clientVersion: 0, timestamp: OriginTimestamp(milliseconds: 1),
        file: .server, originalByteCount: UInt64(bytes.count), changeset: bytes)
    }
  }

  private static func addClass(
    _ table: InternedString, _ fields: [InternedString], _ encoder: inout ChangesetEncoder
  ) {
    encoder.append(
      .addTable(
        .init(
          table: table, kind: .topLevel,
          key: .init(field: fields[0], type: .int, isNullable: false))))
    for (field, type) in zip(fields.dropFirst(), [PayloadType.string, .int, .double]) {
      encoder.append(
        .addColumn(
          .init(
            table: table, field: field, type: type, isNullable: false, collection: .single)))
    }
  }
}
