// SPDX-License-Identifier: Apache-2.0

// The change log against a model that remembers both versions, and against noise.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

/// Objects that are replaced under the same key differ in `life`.
private struct ModelObject: Equatable {
  var life: Int
  var written: Set<ColumnKey> = []
}

@Suite("Change log against a model")
struct ChangeLogModelTests {
  @Test(
    "folds random transactions to the difference of the versions",
    arguments: 0..<40 as Range<UInt64>)
  func randomTransactions(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let tables = (0..<3).map { TableKey(index: $0, reuse: 0) }
    let columns = (0..<4).map { ColumnKey(Int64($0) << 30 | 3) }
    var old: [TableKey: [ObjectKey: ModelObject]] = [:]
    var lives = 0
    for table in tables {
      for key in 0..<20 { old[table, default: [:]][ObjectKey(Int64(key))] = .init(life: -1) }
    }
    var new = old
    var changesets: [[UInt8]] = []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let log = ChangeLogWriter()
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        let table = tables.randomElement(using: &random)!
        let object = ObjectKey(Int64.random(in: 0..<30, using: &random))
        if new[table]?[object] == nil {
          log.createObject(object, in: table)
          lives += 1
          new[table]?[object] = .init(life: lives)
        } else if Bool.random(using: &random), Bool.random(using: &random) {
          log.removeObject(object, in: table)
          new[table]?[object] = nil
        } else {
          let column = columns.randomElement(using: &random)!
          if Bool.random(using: &random) {
            log.set(column, of: object, in: table)
          } else {
            log.insert(at: 0, in: column, of: object, table)
          }
          new[table]?[object]?.written.insert(column)
        }
      }
      changesets.append(log.changeset)
    }
    let changes = try ChangeLogParser.changes(in: changesets)
    for table in tables {
      expectChanges(changes[table], from: old[table] ?? [:], to: new[table] ?? [:])
    }
  }

  private func expectChanges(
    _ changes: TableChanges?, from old: [ObjectKey: ModelObject],
    to new: [ObjectKey: ModelObject]
  ) {
    let gone = old.filter { new[$0.key]?.life != $0.value.life }.keys
    let came = new.filter { old[$0.key]?.life != $0.value.life }.keys
    let kept = new.filter { old[$0.key]?.life == $0.value.life && !$0.value.written.isEmpty }
    expectEqual(changes?.deleted ?? [], ObjectKeySet(gone))
    expectEqual(changes?.inserted ?? [], ObjectKeySet(came))
    expectEqual(Set((changes?.modifications ?? [:]).keys), Set(kept.keys))
    for (key, object) in kept {
      expectEqual(Set(changes?.modifiedColumns(of: key) ?? []), object.written)
    }
  }

  @Test("noise is read or refused, never more")
  func noise() {
    var random = SeededGenerator(seed: 7)
    let opcodes: [UInt8] = [
      1, 2, 3, 10, 11, 12, 13, 14, 20, 21, 22, 30, 31, 32, 33, 35, 36, 37, 43, 44, 45,
    ]
    var refused = 0
    var outcomes: [UInt8: Set<Bool>] = [:]
    for _ in 0..<20_000 {
      var bytes: [UInt8] = [10, 0, 1, 30, 5, 6]
      var first: UInt8?
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let opcode = opcodes.randomElement(using: &random)!
        first = first ?? opcode
        bytes.append(opcode)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        }
      }
      let isRead = (try? ChangeLogParser.changes(in: [bytes])) != nil
      if !isRead { refused += 1 }
      if let first { outcomes[first, default: []].insert(isRead) }
    }
    expectTrue((1..<20_000).contains(refused))
    // The search can fail: each instruction is read and refused, but for the choice of a table,
    // which needs a zero that noise hardly has.
    let exceptions = opcodes.filter { outcomes[$0] != [true, false] }
    expectEqual(exceptions, [10])
  }
}

@Suite("Sets of object keys")
struct ObjectKeySetTests {
  /// `ObjectKeySet` 1, 2 and 3.
  @Test("agree with a set of the standard library", arguments: 0..<20 as Range<UInt64>)
  func agreement(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var keys = ObjectKeySet()
    var model: Set<ObjectKey> = []
    var next: Int64 = 0
    for step in 0..<400 {
      var key = ObjectKey(Int64.random(in: -5..<80, using: &random))
      if step % 3 == 0 {
        next += Int64.random(in: 1...2, using: &random)
        key = ObjectKey(next)
      }
      if Int.random(in: 0..<3, using: &random) == 0 {
        expectEqual(keys.remove(key), (model.remove(key) != nil))
      } else {
        expectEqual(keys.insert(key), model.insert(key).inserted)
      }
      expectEqual(keys.count, model.count)
      expectEqual(keys.contains(key), model.contains(key))
    }
    expectEqual(keys.sorted(), model.sorted())
    for raw in -6..<200 {
      expectEqual(keys.contains(ObjectKey(Int64(raw))), model.contains(ObjectKey(Int64(raw))))
    }
  }
}
