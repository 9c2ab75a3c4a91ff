// SPDX-License-Identifier: Apache-2.0

// The changesets that the rows of the protocol measure: an app edits a few properties.

import RealmSyncProtocol
import RealmText

/// Small changesets about objects of one class.
enum SmallChangesets {
  /// Changesets of three instructions on one of `objects` objects each: a string is assigned, a
  /// number grows, a list gets another element. Each `block` of changesets begins with lists of
  /// three elements.
  static func make(
    _ count: Int, objects: Int, file: UInt64, block: Int = .max
  ) -> [Changeset] {
    var sizes: [UInt32] = []
    return (0..<count).map { number in
      if number % block == 0 { sizes = Array(repeating: 3, count: objects) }
      var changeset = Changeset(
        origin: ChangesetOrigin(
          version: UInt64(number) + 1, file: FileIdentifier(file),
          timestamp: OriginTimestamp(milliseconds: UInt64(number))))
      let mixed = (UInt64(number) &* 2 &+ file) &* 0x9E37_79B9_7F4A_7C15
      let object = Int((mixed ^ mixed >> 32) % UInt64(objects))
      let key = PrimaryKey.objectID(
        ObjectIDBits(high: UInt64(object) &* 0x9E37_79B9_7F4A_7C15, low: UInt32(object)))
      let table = changeset.intern("Item")
      var path = InstructionPath(table: table, key: key, field: changeset.intern("name"))
      let name = changeset.addBytes("a name of item \(number)")
      changeset.append(.update(.init(path: path, value: .string(name))))
      path.field = changeset.intern("count")
      changeset.append(.addInteger(.init(path: path, amount: 1)))
      path.field = changeset.intern("tags")
      path.elements = changeset.addElements([.index(1)])
      let tag = changeset.addBytes("tag \(number)")
      changeset.append(
        .arrayInsert(.init(path: path, value: .string(tag), priorSize: sizes[object])))
      sizes[object] += 1
      return changeset
    }
  }
}
