// SPDX-License-Identifier: Apache-2.0

// Telling a recorder what was written, value by value.
//
// All of this runs only where there is a recorder. Callers ask `isRecorded` first, which is all
// that recording costs in local files.

import RealmStorage

extension WritableTable {
  /// Whether a recorder gets the writes.
  @inline(__always)
  var isRecorded: Bool { unsafe log.recorder != nil }

  /// Passes changes of the table on to the recorder of its transaction.
  var recording: TableRecording { TableRecording(table: self) }

  /// The table of the embedded objects that a column links to; nil if it links to others.
  func embeddedTarget(of column: Column) throws(StorageError) -> WritableTable? {
    guard column.type == .link, let key = column.targetTable else { return nil }
    let target = try group.requiredTable(key)
    return unsafe target.schema.kind == .embedded ? target : nil
  }

  // MARK: Places

  /// The collection of a column, or that which its mixed value is.
  func place(_ column: Column, _ key: ObjectKey) -> CollectionPlace {
    CollectionPlace(table: self, column: column, object: key)
  }

  /// The collection that a path leads to, by the positions and keys that its steps have now.
  func place(
    _ column: Column, _ key: ObjectKey, at path: [NestedStep]
  ) throws(StorageError) -> CollectionPlace {
    guard !path.isEmpty else { return place(column, key) }
    guard let row = try row(of: key), let steps = try row.positions(column, path) else {
      throw .collectionIsGone
    }
    return CollectionPlace(table: self, column: column, object: key, path: steps)
  }
}

/// Tells the recorder of a transaction what was written in a table.
struct TableRecording {
  let table: WritableTable

  private var schema: TableSchema { unsafe table.schema }

  // MARK: Properties

  /// Tells that a property, which is no link, was assigned an element of its leaf.
  @inline(never)
  func set<L: Leaf>(
    _ leaf: L.Type, to element: L.Value, _ column: Column, _ key: ObjectKey, isDefault: Bool
  ) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder, !column.isPrimaryKey else { return }
    guard let value = PlainValue(L.self, element) else {
      return try set(column, key, isDefault: isDefault)
    }
    try recorder.didSet(
      plain: value, column, of: key, in: table,
      isDefault: unsafe isDefault || table.log.storesDefaults)
  }

  /// Tells the value that a property, which is no link, has got.
  @inline(never)
  func set(_ column: Column, _ key: ObjectKey, isDefault: Bool) throws(StorageError) {
    guard !column.isPrimaryKey, let place = try table.place(of: key) else { return }
    try set(
      column, in: table.row(at: place), key, isDefault: unsafe isDefault || table.log.storesDefaults
    )
  }

  /// Tells the value that a property has in a row.
  private func set(
    _ column: Column, in row: Row, _ key: ObjectKey, isDefault: Bool
  ) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder else { return }
    if let value = try PlainValue(of: column, in: row) {
      try recorder.didSet(plain: value, column, of: key, in: table, isDefault: isDefault)
    } else {
      let value = try row.value(of: column)
      try recorder.didSet(value, column, of: key, in: table, isDefault: isDefault)
    }
  }

  /// Tells that a single link was assigned. An embedded object that is replaced goes by a call of
  /// its own, since a peer that still has it would keep what it holds.
  @inline(never)
  func setLink(
    _ target: ObjectKey?, _ column: Column, _ key: ObjectKey, replacing old: ObjectKey,
    isDefault: Bool
  ) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder else { return }
    let isDefault = unsafe isDefault || table.log.storesDefaults
    guard let target else {
      // A default would erase an embedded object that a peer creates meanwhile.
      if isDefault, old.isNull { return }
      return try recorder.didSet(.null, column, of: key, in: table, isDefault: isDefault)
    }
    if target.isTombstone { return }
    let embedded = try table.embeddedTarget(of: column)
    if embedded != nil {
      if target == old { return }
      if !old.isNull {
        try recorder.didSet(.null, column, of: key, in: table, isDefault: isDefault)
      }
    }
    try recorder.didSet(.link(target), column, of: key, in: table, isDefault: isDefault)
    try embedded?.recording.addContents(of: target)
  }

  /// Tells that a mixed property was assigned.
  ///
  /// - Parameter full: The kind of the collection with elements that it was before, if it was one.
  @inline(never)
  func setMixed(
    _ value: TableValue, _ column: Column, _ key: ObjectKey, replacing full: CollectionKind?,
    isDefault: Bool
  ) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder, !value.isLinkToTombstone else { return }
    try recorder.didSet(value.outline, column, of: key, in: table, isDefault: isDefault)
    // A default clears nothing that a peer assigns meanwhile.
    let isAssigned = unsafe !isDefault && !table.log.storesDefaults
    try addElements(
      of: value, table.place(column, key), replacing: full, isAssigned: isAssigned)
  }

  /// Tells the properties that a new object began with, but for its primary key.
  @inline(never)
  func create(
    of key: ObjectKey, primaryKey: TableValue?, beginningWith values: (any InitialValues)?
  ) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder else { return }
    if schema.kind != .embedded {
      try recorder.didCreate(key, primaryKey: primaryKey, in: table)
    }
    guard let values, let place = try table.place(of: key) else { return }
    let row = table.row(at: place)
    let columns = schema.columns
    for index in columns.indices {
      let leaf = columns[index].leafIndex
      guard values.covers(columnAt: leaf), !columns[index].isPrimaryKey else { continue }
      try set(columns[index], in: row, key, isDefault: values.isDefault(columnAt: leaf))
    }
  }

  // MARK: Elements

  /// Tells that an element was inserted in a list.
  @inline(never)
  func insert(
    of value: TableValue, at index: Int, _ place: CollectionPlace, priorSize: Int
  ) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder, !value.isLinkToTombstone else { return }
    try recorder.didInsert(value.outline, at: index, in: place, priorSize: priorSize)
    try addElements(
      of: value, place.element(.index(index)), replacing: nil, isAssigned: false)
    try addEmbedded(value, place.column)
  }

  /// Tells that an element of a list was replaced.
  @inline(never)
  func replace(
    by value: TableValue, at index: Int, _ place: CollectionPlace, size: Int,
    replacing full: CollectionKind?
  ) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder else { return }
    if value.isLinkToTombstone {
      return try recorder.didErase(at: index, in: place, priorSize: size)
    }
    if try table.embeddedTarget(of: place.column) != nil {
      try recorder.didErase(at: index, in: place, priorSize: size)
      return try insert(of: value, at: index, place, priorSize: size - 1)
    }
    try recorder.didSet(value.outline, at: index, in: place, priorSize: size)
    // Peers do not move a clearing that ends in a position with the elements before it (P2 D.6).
    try addElements(
      of: value, place.element(.index(index)), replacing: full, isAssigned: false)
  }

  /// Tells that the value of a key was assigned.
  ///
  /// - Parameter isFresh: Whether the dictionary belongs to the recorded value, and was empty.
  @inline(never)
  func setEntry(
    _ value: TableValue, for name: String, _ place: CollectionPlace,
    replacing full: CollectionKind?, isFresh: Bool = false
  ) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder, !value.isLinkToTombstone else { return }
    try recorder.didSetEntry(value.outline, for: name, in: place)
    try addElements(
      of: value, place.element(.key(name)), replacing: full, isAssigned: !isFresh)
    try addEmbedded(value, place.column)
  }

  /// Tells that a value was inserted in a set, or erased from it.
  @inline(never)
  func editMember(
    _ value: TableValue, _ column: Column, _ key: ObjectKey, isErased: Bool
  ) throws(StorageError) {
    if isErased {
      try unsafe table.log.recorder?.didEraseMember(value, in: table.place(column, key))
    } else {
      try unsafe table.log.recorder?.didInsertMember(value, in: table.place(column, key))
    }
  }

  /// Tells the elements of a collection inside a mixed value that has just been stored.
  ///
  /// - Parameter isAssigned: Whether they are all that is to be there. A peer that has assigned a
  ///   collection of the kind meanwhile has elements in it, which making it a collection leaves.
  private func addElements(
    of value: TableValue, _ place: @autoclosure () -> CollectionPlace,
    replacing full: CollectionKind?, isAssigned: Bool
  ) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder else { return }
    switch value {
    case .list(let values):
      let place = place()
      if isAssigned || full == .list { try recorder.didClear(place, .list) }
      for (index, value) in values.enumerated() {
        try insert(of: value, at: index, place, priorSize: index)
      }
    case .dictionary(let entries):
      let place = place()
      if isAssigned || full == .dictionary { try recorder.didClear(place, .dictionary) }
      for entry in entries.entries {
        try setEntry(entry.value, for: entry.key, place, replacing: nil, isFresh: true)
      }
    default: return
    }
  }

  // MARK: Embedded objects

  private func addEmbedded(_ value: TableValue, _ column: Column) throws(StorageError) {
    guard case .link(let key) = value else { return }
    try table.embeddedTarget(of: column)?.recording.addContents(of: key)
  }

  /// Tells what an embedded object of this table holds that a new one would not.
  func addContents(of key: ObjectKey) throws(StorageError) {
    guard let recorder = unsafe table.log.recorder else { return }
    for column in schema.columns {
      guard let row = try table.row(of: key) else { return }
      switch column.collection {
      case .none:
        let value = try row.value(of: column)
        if value.isIdentical(to: column.initialValue) { continue }
        if column.type == .mixed {
          try setMixed(value, column, key, replacing: nil, isDefault: false)
        } else {
          try recorder.didSet(value, column, of: key, in: table, isDefault: false)
          try addEmbedded(value, column)
        }
      case .list:
        let view = try row.list(column)
        for index in 0..<view.storedCount {
          let value = try column.visitElements(
            ValueVisitor(root: view.root, index: index, space: table.allocator.space))
          if column.type == .link, value.isNull { continue }
          try insert(of: value, at: index, table.place(column, key), priorSize: index)
        }
      case .set:
        for value in try row.list(column).values() {
          try recorder.didInsertMember(value, in: table.place(column, key))
        }
      case .dictionary:
        if column.hasIntegerKeys { continue }
        for entry in try row.dictionary(column).entries(of: column).entries {
          try setEntry(entry.value, for: entry.key, table.place(column, key), replacing: nil)
        }
      }
    }
  }
}

extension CollectionPlace {
  func element(_ step: PathStep) -> CollectionPlace {
    CollectionPlace(table: table, column: column, object: object, path: path + [step])
  }
}

extension Row {
  /// The positions and keys that lead to a nested collection; nil if it is gone.
  fileprivate func positions(
    _ column: Column, _ path: [NestedStep]
  ) throws(StorageError) -> [PathStep]? {
    var positions: [PathStep] = []
    for end in (column.collection == .none ? 1 : 0)..<path.count {
      let parent = Array(path[..<end])
      if let list = try list(column, parent), column.collection != .set || end > 0 {
        guard let index = try list.position(of: path[end]) else { return nil }
        positions.append(.index(index))
      } else {
        guard let map = try dictionary(column, parent),
          let index = try map.position(of: path[end])
        else { return nil }
        positions.append(.key(try map.key(at: index)))
      }
    }
    return positions
  }
}

extension TableValue {
  /// The value, without the elements of a collection.
  var outline: TableValue {
    switch self {
    case .list: .list([])
    case .dictionary: .dictionary(TableDictionary([]))
    default: self
    }
  }

  /// Whether the value is the other one, which is not the case for zeros of different signs.
  fileprivate func isIdentical(to other: TableValue) -> Bool {
    switch (self, other) {
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    default: self == other
    }
  }

  var isLinkToTombstone: Bool {
    switch self {
    case .link(let key), .typedLink(_, let key): key.isTombstone
    default: false
    }
  }
}

extension MixedValue {
  /// The kind of a collection that has elements; nil for others.
  func fullKind(in space: NodeSpace) throws(StorageError) -> CollectionKind? {
    guard let tree = try NestedTree.elements(of: self, in: space),
      try BTree<MixedLeaf>.count(tree, in: space) > 0
    else { return nil }
    if case .list = self { return .list }
    return .dictionary
  }
}

extension Column {
  /// The value of a single property of a new object.
  package var initialValue: TableValue {
    if isNullable { return .null }
    return switch type {
    case .int: .int(0)
    case .bool: .bool(false)
    case .string: .string("")
    case .binary: .binary([])
    case .timestamp: .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
    case .float: .float(0)
    case .double: .double(0)
    case .decimal: .decimal(.zero)
    case .objectId: .objectId(Bytes12(high: 0, low: 0))
    case .uuid: .uuid(Bytes16(high: 0, low: 0))
    case .mixed, .link, .typedLink, .backlink: .null
    }
  }
}
