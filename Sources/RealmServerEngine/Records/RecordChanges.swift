// SPDX-License-Identifier: Apache-2.0

// Which records were changed.

package import RealmTables

/// The records that were made, changed or removed, by the names of their tables.
package struct RecordChanges: Hashable, Sendable {
  /// The name of a record in its table.
  package enum Key: Hashable, Sendable {
    /// The value of its primary key.
    case primary(TableValue)
    /// The key of its object, in a table without a primary key.
    case object(ObjectKey)
  }

  /// Beyond so many records any may have changed.
  package static let countMax = 10_000

  private var keys: [String: Set<Key>] = [:]
  private var count = 0
  /// Whether any record may have changed.
  package private(set) var areOfAll = false

  package init() {}

  /// Changes that may be of any record.
  package static var ofAll: RecordChanges {
    var changes = RecordChanges()
    changes.noteAll()
    return changes
  }

  package var isEmpty: Bool { !areOfAll && keys.isEmpty }

  /// Adds a record.
  package mutating func insert(_ key: Key, of table: String) {
    guard !areOfAll else { return }
    if keys[table, default: []].insert(key).inserted { count += 1 }
    if count > Self.countMax { noteAll() }
  }

  /// Adds other changes.
  package mutating func formUnion(_ others: RecordChanges) {
    if others.areOfAll { return noteAll() }
    for (table, keys) in others.keys {
      for key in keys { insert(key, of: table) }
    }
  }

  private mutating func noteAll() {
    areOfAll = true
    (keys, count) = ([:], 0)
  }

  /// Whether a record of a table has changed.
  package func concern(_ layout: RecordLayout) -> Bool { areOfAll || keys[layout.name] != nil }

  /// The changed records of a table whose primary key is a string; nil for any of them.
  package func texts(of layout: RecordLayout) -> Set<String>? {
    guard !areOfAll else { return nil }
    return Set(
      keys[layout.name, default: []].compactMap { key in
        if case .primary(.string(let text)) = key { text } else { nil }
      })
  }
}
