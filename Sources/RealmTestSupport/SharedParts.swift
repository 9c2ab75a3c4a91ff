// SPDX-License-Identifier: Apache-2.0

// What only a damaged or hostile file has: embedded objects with more than one owner, and
// collections in mixed values that are in several others.

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

  /// An object of a class `SharedOwner` that has a `SharedPart` ten thousand times in `parts`,
  /// each with forty lists of one number: the lists are what is too much.
  package static func makeWithLists(
    in group: WriteGroup
  ) throws(StorageError) -> (table: WritableTable, key: ObjectKey) {
    let parts = try group.createTable(named: "class_SharedPart", kind: .embedded)
    var columns: [Column] = []
    for index in 0..<40 {
      columns.append(try parts.addColumn(named: "list\(index)", type: .int, collection: .list))
    }
    let owners = try group.createTable(named: "class_SharedOwner")
    let column = try owners.addColumn(
      named: "parts", type: .link, collection: .list, target: parts.key)
    let part = try parts.createObject().key
    for column in columns { try parts.list(column, part).insert(.int(1), at: 0) }
    let owner = try owners.createObject().key
    let list = try owners.list(column, owner)
    for index in 0..<10_000 { try list.insert(.link(part), at: index) }
    return (owners, owner)
  }

  /// How often each collection of `makeNested` has the one before.
  package static let nestedCount = 20

  /// Objects of a class `NestedOwner`, whose `value` is a collection: that of the first one has
  /// nulls, and each other one has the collection of the object before at each index.
  ///
  /// Each is committed by itself: a commit would write what it has made at each index again.
  package static func makeNested(
    levels: Int, areLists: Bool, in file: DatabaseFile
  ) throws(StorageError) {
    var last: MixedValue?
    for _ in 0..<levels {
      let group = try WriteGroup(try file.beginWrite())
      let table =
        if let table = try group.table(named: "class_NestedOwner") { table } else {
          try group.createTable(named: "class_NestedOwner")
        }
      let column =
        if let column = table.schema.column(named: "value") { column } else {
          try table.addColumn(named: "value", type: .mixed, isNullable: true)
        }
      let key = try table.createObject().key
      let places = 0..<nestedCount
      // Without roots of their own, so that these are stored where they are.
      let value: TableValue =
        areLists
        ? .list(places.map { _ in last == nil ? .null : .list([]) })
        : .dictionary(
          TableDictionary(
            places.map { index in
              .init(key: "k\(index)", value: last == nil ? .null : .dictionary(.init([])))
            }))
      try table.set(value, column, key)
      guard let row = try group.row(of: key, in: table.key) else { continue }
      let stored = try row.mixedValue(of: column)
      if let last { try fill(stored, with: last, group.allocator) }
      last = stored
      _ = try group.commit()
      last = try committed(key, in: file)
    }
  }

  /// Objects of the class `NestedOwner`: the first has a list of nulls, and each of some others a
  /// list of its own that has the list of the first at each index.
  package static func makeSharedRows(
    _ count: Int, nullCount: Int, in file: DatabaseFile
  ) throws(StorageError) {
    let group = try WriteGroup(try file.beginWrite())
    let owners = try group.createTable(named: "class_NestedOwner")
    let value = try owners.addColumn(named: "value", type: .mixed, isNullable: true)
    let first = try owners.createObject().key
    try owners.set(.list(Array(repeating: .null, count: nullCount)), value, first)
    _ = try group.commit()
    let next = try WriteGroup(try file.beginWrite())
    guard let nulls = try committed(first, in: file),
      let table = try next.table(named: "class_NestedOwner"),
      let column = table.schema.column(named: "value")
    else { return }
    for _ in 0..<count {
      let key = try table.createObject().key
      try table.set(.list(Array(repeating: .list([]), count: nestedCount)), column, key)
      guard let row = try next.row(of: key, in: table.key) else { continue }
      try fill(try row.mixedValue(of: column), with: nulls, next.allocator)
    }
    _ = try next.commit()
  }

  /// The value of an object of `makeNested` as it is in the file.
  private static func committed(
    _ key: ObjectKey, in file: DatabaseFile
  ) throws(StorageError) -> MixedValue? {
    let group = try TableGroup(try file.snapshot())
    guard let table = try group.table(named: "class_NestedOwner"),
      let column = table.schema.column(named: "value"), let row = try table.row(of: key)
    else { return nil }
    return try row.mixedValue(of: column)
  }

  /// Stores `element` at each index of a collection that the transaction has made.
  private static func fill(
    _ collection: MixedValue, with element: MixedValue, _ allocator: NodeAllocator
  ) throws(StorageError) {
    let tree: Ref
    switch collection {
    case .list(let root): tree = root
    case .dictionary(let root): tree = try allocator.node(at: root).ref(at: 1)
    default: return
    }
    for index in 0..<nestedCount {
      let new = try BTree<MixedLeaf>.set(element, at: index, in: tree, allocator)
      guard new == tree else { throw .corrupted("a tree of the transaction has moved") }
    }
  }
}
