// SPDX-License-Identifier: Apache-2.0

// What only a damaged or hostile file has: embedded objects with more than one owner.

package import RealmStorage
package import RealmTables

/// Makes embedded objects that who follows them comes to without end.
package enum SharedParts {
  /// How embedded objects have more than one owner.
  package enum Shape: String, CaseIterable, Sendable {
    /// Each of sixty is in two properties of the one before.
    case twice
    /// Each of sixty is twice in a list of the one before.
    case inLists
    /// One is its own property.
    case inItself
  }

  /// An object of a class `SharedOwner` that has a `SharedPart` as `part`.
  package static func make(
    _ shape: Shape, in group: WriteGroup
  ) throws(StorageError) -> (table: WritableTable, key: ObjectKey) {
    let parts = try group.createTable(named: "class_SharedPart", kind: .embedded)
    let number = try parts.addColumn(named: "number", type: .int)
    let first = try parts.addColumn(named: "first", type: .link, target: parts.key)
    let second = try parts.addColumn(named: "second", type: .link, target: parts.key)
    let others = try parts.addColumn(
      named: "others", type: .link, collection: .list, target: parts.key)
    let owners = try group.createTable(named: "class_SharedOwner")
    let part = try owners.addColumn(named: "part", type: .link, target: parts.key)
    let owner = try owners.createObject().key
    var last = try owners.createEmbedded(part, of: owner).key
    if shape == .inItself {
      for column in [first, second] { try parts.setLink(last, column, last) }
      return (owners, owner)
    }
    for level in 1...60 {
      let next = try parts.createObject().key
      try parts.set(.int(Int64(level)), number, next)
      if shape == .twice {
        try parts.setLink(next, first, last)
        try parts.setLink(next, second, last)
      } else {
        let list = try parts.list(others, last)
        for index in 0..<2 { try list.insert(.link(next), at: index) }
      }
      last = next
    }
    return (owners, owner)
  }
}
