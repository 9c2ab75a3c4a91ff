// SPDX-License-Identifier: Apache-2.0

// How many small changesets are encoded in a second, and what a recorder pays for a property.

import RealmSyncProtocol

extension SyncRow {
  static var encode: SyncRow {
    let changesets = SmallChangesets.make(1000, objects: 10_000, file: 2)
    return SyncRow(name: "encode", unit: "changesets") {
      var count = 0
      return rate(of: 20 * changesets.count) {
        for _ in 0..<20 {
          for changeset in changesets { count += ChangesetEncoder.encode(changeset).count }
        }
        precondition(count > 0)
      }
    }
  }

  /// A transaction of 100,000 new objects with seven properties, as the benchmark of inserts has
  /// them, written while it is recorded.
  static var record: SyncRow {
    SyncRow(name: "record", unit: "objects") {
      var encoder = ChangesetEncoder()
      return rate(of: 100_000) {
        let table = encoder.intern("Todo")
        let fields = ["name", "owner", "status", "priority", "score", "done"].map {
          encoder.intern($0)
        }
        for number in 0..<100_000 {
          append(number, table, fields, &encoder)
        }
        precondition(encoder.instructionCount == 700_000)
      }
    }
  }

  private static func append(
    _ number: Int, _ table: InternedString, _ fields: [InternedString],
    _ encoder: inout ChangesetEncoder
  ) {
    let key = PrimaryKey.int(Int64(number))
    encoder.append(.createObject(.init(table: table, key: key)))
    var path = InstructionPath(table: table, key: key, field: fields[0])
    encoder.appendUpdate(path, text: "todo 1234")
    path.field = fields[1]
    encoder.appendUpdate(path, text: "owner")
    path.field = fields[2]
    encoder.appendUpdate(path, text: "open")
    path.field = fields[3]
    encoder.appendUpdate(path, .int(Int64(number % 10)))
    path.field = fields[4]
    encoder.appendUpdate(path, .double(Double(number)))
    path.field = fields[5]
    encoder.appendUpdate(path, .bool(number % 2 == 0))
  }
}
