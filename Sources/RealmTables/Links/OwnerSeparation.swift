// SPDX-License-Identifier: Apache-2.0

// Objects that are to be embedded get exactly one owner each.
//
// Invariants:
// 1. An object without owner is deleted, with the embedded objects that it owns.
// 2. Of an object with n links to it, n - 1 copies are made. A copy has the same values and links,
//    and copies of the embedded objects. It has one owner, and no other link leads to it.
// 3. Copies that are needed because copies link to objects of the table are limited, and so is what
//    they hold: objects that link to each other in a circle could be copied without end. The others
//    are as many as the links.
// 4. A copy takes no more than a few times what the file has room for, whatever the embedded
//    objects of a damaged or hostile file have in common. The links of one owner to an object are
//    found in one walk over its collection.

import RealmStorage

/// Deletes and copies the objects of a table until each has one owner.
struct OwnerSeparation {
  /// One link to an object of the table.
  private struct Owner {
    let table: WritableTable
    let column: Column
    let key: ObjectKey

    func isSame(as other: Owner) -> Bool {
      key == other.key && column.key == other.column.key && table.key == other.table.key
    }
  }

  /// Where the next link of an owner is looked for.
  private struct LinkSearch {
    let owner: Owner
    /// The position in its list.
    var index = 0
    /// The names in its dictionary, the next one last; nil if they were not looked for yet.
    var names: [String]?
  }

  /// The copies that may be made because of copies.
  static let maximumExtraCount = 100_000
  /// The objects that such copies may hold, for each of them, with as many elements as take a byte.
  private static let extraVisitCount = 100

  private let table: WritableTable
  private let name: String
  private let limit: Int

  /// - Parameter limit: The number of copies that may be made because of copies.
  init(_ table: WritableTable, limit: Int = OwnerSeparation.maximumExtraCount) {
    self.table = table
    self.limit = limit
    name = unsafe table.schema.className ?? table.schema.name
  }

  func run() throws(StorageError) {
    var (orphans, shared) = try find()
    // Embedded objects that go with an orphan may have been the owners of others.
    while !orphans.isEmpty {
      try delete(orphans)
      (orphans, shared) = try find()
    }
    var known = shared.reduce(0) { $0 + $1.count - 1 }
    var (extraCount, extraVisits) = (0, 0)
    var pending = shared.map(\.key)
    while let key = pending.popLast() {
      var search: LinkSearch?
      for owner in try owners(of: key).dropFirst() {
        let isExtra = known == 0
        if isExtra { extraCount += 1 } else { known -= 1 }
        let visitsLeft = limit * Self.extraVisitCount - extraVisits
        guard extraCount <= limit, visitsLeft >= 0 else { throw tooManyCopies }
        var next =
          search.flatMap { $0.owner.isSame(as: owner) ? $0 : nil } ?? LinkSearch(owner: owner)
        let visits = try give(&next, copyOf: key, &pending)
        search = next
        if isExtra { extraVisits += visits }
      }
    }
  }

  private var tooManyCopies: StorageError {
    .limitExceeded(
      "Cannot convert '\(name)' to embedded: its objects link to each other in a circle or so "
        + "often that more than \(limit) copies of copies are needed. Separate them in the "
        + "migration block.")
  }

  /// Deletes objects without owner, and those that lose their owner by it.
  private func delete(_ orphans: [ObjectKey]) throws(StorageError) {
    var pending = orphans
    while let key = pending.popLast() {
      guard let row = try table.row(of: key) else { continue }
      var owned: [ObjectKey] = []
      for column in unsafe table.schema.columns where column.targetTable == table.key {
        try row.forEachLink(in: column) { owned.append($0.key) }
      }
      try table.delete(key)
      for other in Set(owned) where try isOrphan(other) { pending.append(other) }
    }
  }

  private func isOrphan(_ key: ObjectKey) throws(StorageError) -> Bool {
    guard let row = try table.row(of: key) else { return false }
    for column in unsafe table.schema.backlinkColumns where try row.backlinkCount(of: column) > 0 {
      return false
    }
    return true
  }

  /// The objects without owner, and those with more than one and how many they have.
  private func find() throws(StorageError) -> (
    orphans: [ObjectKey], shared: [(key: ObjectKey, count: Int)]
  ) {
    let columns = unsafe table.schema.backlinkColumns
    var orphans: [ObjectKey] = []
    var shared: [(key: ObjectKey, count: Int)] = []
    var cursor = table.currentTable.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let row = cluster.row(at: index)
        var count = 0
        for column in columns {
          let links = try row.backlinkCount(of: column)
          if links > 0 { try requireOwning(column) }
          count += links
        }
        if count == 0 { orphans.append(cluster.key(at: index)) }
        if count > 1 { shared.append((cluster.key(at: index), count)) }
      }
    }
    return (orphans, shared)
  }

  /// - Throws: `StorageError.limitExceeded` for links of properties that own nothing.
  private func requireOwning(_ backlink: Column) throws(StorageError) {
    let (origin, column) = try origin(of: backlink)
    let path = unsafe "\(origin.schema.className ?? origin.schema.name).\(column.name)"
    guard column.type == .link else {
      throw .limitExceeded(
        "Cannot convert '\(name)' to embedded: there is an incoming link from the property "
          + "'\(path)' of any type, which does not support links to embedded objects.")
    }
    guard column.collection != .set else {
      throw .limitExceeded(
        "Cannot convert '\(name)' to embedded: there is an incoming link from the set '\(path)', "
          + "and sets cannot hold embedded objects.")
    }
  }

  private func origin(
    of backlink: Column
  ) throws(StorageError) -> (WritableTable, Column) {
    guard let key = backlink.targetTable, let opposite = backlink.oppositeColumn else {
      throw .corrupted("a backlink column of class '\(name)' has no origin")
    }
    let origin = try table.group.requiredTable(key)
    return (origin, try origin.column(opposite))
  }

  /// All links to an object: one for each, in the order of the columns.
  private func owners(of key: ObjectKey) throws(StorageError) -> [Owner] {
    guard let row = try table.row(of: key) else { return [] }
    var owners: [Owner] = []
    for backlink in unsafe table.schema.backlinkColumns {
      let keys = try row.backlinks(of: backlink).sorted()
      if keys.isEmpty { continue }
      let (origin, column) = try origin(of: backlink)
      owners += keys.map { Owner(table: origin, column: column, key: $0) }
    }
    return owners
  }

  /// Makes one link of an owner lead to a copy of the object.
  ///
  /// - Parameters:
  ///   - search: Goes on behind the link.
  ///   - linked: Gets the objects of the table that the copy links to.
  /// - Returns: The copied objects, with as many elements as take a byte.
  private func give(
    _ search: inout LinkSearch, copyOf key: ObjectKey, _ linked: inout [ObjectKey]
  ) throws(StorageError) -> Int {
    let copy = try table.createObject().key
    let owner = search.owner
    let column = owner.column
    switch column.collection {
    case .none: try owner.table.setLink(copy, column, owner.key)
    case .list, .set:
      let list = try owner.table.list(column, owner.key, stored: true)
      let count = try list.count
      while search.index < count, try list.value(at: search.index) != .link(key) {
        search.index += 1
      }
      guard search.index < count else { throw lostLink }
      try list.set(.link(copy), at: search.index)
      search.index += 1
    case .dictionary:
      var names = search.names ?? []
      if search.names == nil { names = try self.names(of: key, in: owner) }
      guard let name = names.popLast() else { throw lostLink }
      search.names = names
      try owner.table.dictionary(column, owner.key).set(.link(copy), for: name)
    }
    return try copyValues(from: key, to: copy, &linked)
  }

  /// The names of an object in a dictionary, the first one last.
  private func names(of key: ObjectKey, in owner: Owner) throws(StorageError) -> [String] {
    let row = try owner.table.row(of: owner.key)
    let entries = try row?.dictionary(owner.column).entries(of: owner.column).entries ?? []
    let link = TableValue.typedLink(table.key, key)
    return entries.filter { $0.value == .link(key) || $0.value == link }.map(\.key).reversed()
  }

  private var lostLink: StorageError {
    .corrupted("an object of class '\(name)' has a backlink without a link")
  }

  // MARK: Copies

  /// Two objects of a table, of which the second gets the values of the first.
  private struct Pair {
    let table: WritableTable
    let source: ObjectKey
    let target: ObjectKey
  }

  /// Copies all values, and the embedded objects, however deep.
  ///
  /// - Returns: The copied objects, with as many elements as take a byte.
  private func copyValues(
    from source: ObjectKey, to target: ObjectKey, _ linked: inout [ObjectKey]
  ) throws(StorageError) -> Int {
    var pending = [Pair(table: table, source: source, target: target)]
    let allocator = table.allocator
    let byteCount = allocator.space.fileEnd + allocator.slabByteCount
    let visits = OwnedVisits(in: { byteCount }, repeatCount: 1)
    try visits.enter()
    while let pair = pending.popLast() {
      try visits.note()
      for column in unsafe pair.table.schema.columns {
        guard let row = try pair.table.row(of: pair.source) else { continue }
        let value = try self.value(of: column, row, visits)
        let owned =
          try column.type == .link ? column.targetTable.map(table.group.requiredTable) : nil
        if let owned, unsafe owned.schema.kind == .embedded {
          try copyEmbedded(value, column, pair, owned, &pending)
        } else if !value.isNull {
          try pair.table.set(value, column, pair.target)
          if column.targetTable == table.key {
            try column.forEachLink(in: value) { linked.append($0.key) }
          }
        }
      }
    }
    return visits.count
  }

  /// A value that is copied; its elements and bytes are counted (`OwnerSeparation` 4).
  private func value(
    of column: Column, _ row: Row, _ visits: OwnedVisits
  ) throws(StorageError) -> TableValue {
    let count =
      switch column.collection {
      case .none: 0
      case .dictionary: try row.dictionary(column).count
      case .list, .set: try row.list(column).count
      }
    if count > 0 {
      visits.note(elementCount: count)
      try visits.note()
    }
    let value = try row.value(of: column)
    let (elements, bytes) = value.sizes
    visits.note(elementCount: elements - count)
    visits.note(byteCount: bytes)
    return value
  }

  /// Creates an embedded object for each link in a value; their own values are copied later.
  private func copyEmbedded(
    _ value: TableValue, _ column: Column, _ pair: Pair, _ owned: WritableTable,
    _ pending: inout [Pair]
  ) throws(StorageError) {
    func copied(_ value: TableValue, _ target: ObjectKey) {
      guard case .link(let source) = value.plainLink else { return }
      pending.append(Pair(table: owned, source: source, target: target))
    }
    switch value {
    case .list(let elements):
      let list = try pair.table.list(column, pair.target)
      for (index, element) in elements.enumerated() {
        copied(element, try list.insertEmbedded(at: index).key)
      }
    case .dictionary(let map):
      let dictionary = try pair.table.dictionary(column, pair.target)
      for entry in map.entries {
        if entry.value.isNull {
          try dictionary.set(.null, for: entry.key)
        } else {
          copied(entry.value, try dictionary.setEmbedded(for: entry.key).key)
        }
      }
    case .null: break
    default: copied(value, try pair.table.createEmbedded(column, of: pair.target).key)
    }
  }
}

extension TableValue {
  /// The elements of the collections in the value, and the bytes of its strings.
  fileprivate var sizes: (elements: Int, bytes: Int) {
    switch self {
    case .string(let text): return (0, text.utf8.count)
    case .binary(let bytes): return (0, bytes.count)
    case .list(let elements): return Self.sizes(of: elements)
    case .dictionary(let map): return Self.sizes(of: map.entries.lazy.map(\.value))
    default: return (0, 0)
    }
  }

  private static func sizes(of values: some Collection<TableValue>) -> (elements: Int, bytes: Int) {
    values.reduce(into: (values.count, 0)) { sum, value in
      let (elements, bytes) = value.sizes
      sum = (sum.0 + elements, sum.1 + bytes)
    }
  }

  /// A link as one to an object of the column's own table.
  fileprivate var plainLink: TableValue {
    if case .typedLink(_, let key) = self { .link(key) } else { self }
  }
}
