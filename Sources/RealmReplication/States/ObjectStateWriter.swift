// SPDX-License-Identifier: Apache-2.0

// The state of objects as instructions.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Writes a changeset for the classes and objects of a file.
///
/// Links to missing objects are written too, as links to future ones: positions in lists are then
/// the same at the receiver.
package struct ObjectStateWriter<Source: TableReader> {
  private let source: Source
  private var builder: ChangesetBuilder
  /// The top-level object at hand, and its property.
  private var base = InstructionPath(
    table: InternedString(0), key: .null, field: InternedString(0))
  /// The steps below the property.
  private var steps: [PathElement] = []
  private var isFresh = true
  /// What is written of the embedded objects at hand; nil for everything.
  private var fields: FieldSelection?
  /// The embedded objects so far: a writer comes to each a few times at most.
  private let visits: OwnedVisits
  /// The collections in the mixed values of the property at hand, once there is one.
  private var nesting: MixedNesting?

  /// - Parameter file: The file's identifier at other files, for its objects of classes without
  ///   primary key.
  package init(_ source: Source, file: FileIdentifier = .own) {
    self.source = source
    builder = ChangesetBuilder(file: file)
    visits = OwnedVisits(in: source)
  }

  /// The size of the changeset so far.
  package var byteCount: Int { builder.byteCount }

  /// Ends the changeset and begins the next.
  package mutating func take() -> [UInt8] { builder.take() }

  // MARK: Schema

  /// Writes all classes and their properties.
  package mutating func appendSchema() throws(StorageError) {
    let schemas = try classes()
    for schema in schemas { builder.addTable(schema, primaryKey: schema.primaryKey) }
    for schema in schemas {
      for column in schema.columns where !column.isPrimaryKey {
        try builder.addColumn(column, to: schema, source)
      }
    }
  }

  /// The tables of classes in the order of the file.
  private func classes() throws(StorageError) -> [TableSchema] {
    var schemas: [TableSchema] = []
    for key in try source.tableKeys() {
      guard let schema = try source.schema(of: key), schema.className != nil else { continue }
      schemas.append(schema)
    }
    return schemas
  }

  // MARK: Objects

  /// Writes an object: its creation, its values, and its links at last.
  ///
  /// - Parameters:
  ///   - isFresh: Whether the receiver cannot have the object: default values are left out then,
  ///     and collections are not emptied first.
  ///   - fields: The written properties, beside the primary key; nil for all.
  /// - Returns: Whether there is such an object.
  @discardableResult
  package mutating func append(
    _ object: ObjectKey, in table: TableKey, isFresh: Bool = true,
    fields: FieldSelection? = nil
  ) throws(StorageError) -> Bool {
    guard let (row, schema) = try begin(object, table) else { return false }
    self.isFresh = isFresh
    builder.encoder.append(.createObject(ObjectReference(table: base.table, key: base.key)))
    for isLinking in [false, true] {
      for column in schema.columns where column.canLink == isLinking && !column.isPrimaryKey {
        guard fields?.contains(column.name) ?? true else { continue }
        base.field = builder.name(column, table, schema)
        self.fields = fields?.inside[column.name]
        try appendProperty(column, row)
      }
    }
    self.fields = nil
    return true
  }

  /// Writes the erasure of an object before its state: the receiver's copy is stale.
  ///
  /// - Returns: Whether there is such an object.
  @discardableResult
  package mutating func appendErasure(
    of object: ObjectKey, in table: TableKey
  ) throws(StorageError) -> Bool {
    guard try begin(object, table) != nil else { return false }
    builder.encoder.append(.eraseObject(ObjectReference(table: base.table, key: base.key)))
    return true
  }

  /// Writes the erasure of an object, present in the file or not.
  ///
  /// - Parameter reference: Names the object, whose strings it interns.
  package mutating func appendErasure(of reference: (inout ChangesetEncoder) -> ObjectReference) {
    let object = reference(&builder.encoder)
    builder.encoder.append(.eraseObject(object))
  }

  /// Writes the creation alone of an object, present in the file or not.
  package mutating func appendCreation(of reference: (inout ChangesetEncoder) -> ObjectReference) {
    let object = reference(&builder.encoder)
    builder.encoder.append(.createObject(object))
  }

  /// Writes a property of an object at the receiver.
  ///
  /// - Returns: Whether there is such an object.
  @discardableResult
  package mutating func append(
    _ column: Column, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) -> Bool {
    guard let (row, schema) = try begin(object, table) else { return false }
    isFresh = false
    base.field = builder.name(column, table, schema)
    try appendProperty(column, row)
    return true
  }

  /// Makes an object of a class the one at hand.
  private mutating func begin(
    _ object: ObjectKey, _ table: TableKey
  ) throws(StorageError) -> (row: Row, schema: TableSchema)? {
    guard let schema = try source.schema(of: table), schema.className != nil,
      schema.kind != .embedded, let row = try source.row(of: object, in: table)
    else { return nil }
    base.table = builder.name(table, schema)
    guard let key = try builder.primaryKey(of: object, in: table, source) else { return nil }
    base.key = key
    assert(steps.isEmpty, "the path of the last object is still there")
    return (row, schema)
  }

  private mutating func appendEmbedded(
    _ object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    guard let schema = try source.schema(of: table),
      let row = try source.row(of: object, in: table)
    else { return }
    try visits.enter()
    defer { visits.leave() }
    let outer = fields
    for isLinking in [false, true] {
      for column in schema.columns where column.canLink == isLinking {
        guard outer?.contains(column.name) ?? true else { continue }
        steps.append(.key(builder.name(column, table, schema)))
        fields = outer?.inside[column.name]
        try appendProperty(column, row)
        steps.removeLast()
      }
    }
    fields = outer
  }

  private mutating func appendProperty(_ column: Column, _ row: Row) throws(StorageError) {
    nesting = nil
    switch column.collection {
    case .none: try appendSingle(column, row)
    case .list, .set:
      let view = try row.list(column)
      visits.note(elementCount: view.storedCount)
      try appendElements(of: view, column)
    case .dictionary:
      if column.hasIntegerKeys { return }
      let view = try row.dictionary(column)
      visits.note(elementCount: view.count)
      try appendEntries(of: view, column)
    }
  }

  private mutating func appendSingle(_ column: Column, _ row: Row) throws(StorageError) {
    switch column.type {
    case .link:
      let target = try row.storedLink(column.leafIndex)
      if target.isNull {
        if !isFresh { update(.null) }
        return
      }
      guard let table = column.targetTable else { return }
      if !isFresh, try isEmbedded(table) { update(.null) }
      guard let payload = try payload(TableValue.link(target), column) else { return }
      update(payload)
      if case .objectValue = payload { try appendEmbedded(target, in: table) }
    case .mixed: try appendMixed(row.mixed(column.leafIndex), column, row.space)
    default:
      let value = try row.value(of: column)
      if isFresh, value.isInitial(in: column) { return }
      if let payload = try payload(value, column) { update(payload) }
    }
  }

  private func isEmbedded(_ table: TableKey) throws(StorageError) -> Bool {
    try source.schema(of: table)?.kind == .embedded
  }

  /// A value as a payload; nil for a link without a name on other devices.
  private mutating func payload(
    _ value: TableValue, _ column: Column
  ) throws(StorageError) -> Payload? {
    let source = source
    return try builder.payload(value, column, source)
  }

  // MARK: Another selection

  /// Writes what another selection of properties changes at a receiver of an object: what appears
  /// gets its value, what disappears that of new objects.
  package mutating func appendChange(
    of object: ObjectKey, in table: TableKey, from before: FieldSelection, to after: FieldSelection
  ) throws(StorageError) {
    guard let (row, schema) = try begin(object, table) else { return }
    isFresh = false
    for column in schema.columns
    where !column.isPrimaryKey && !before.isEqual(to: after, at: column.name) {
      base.field = builder.name(column, table, schema)
      try appendChange(column, row, before, after)
    }
  }

  /// Writes the change of the property at the end of the path.
  private mutating func appendChange(
    _ column: Column, _ row: Row, _ before: FieldSelection, _ after: FieldSelection
  ) throws(StorageError) {
    let name = column.name
    guard after.contains(name) else { return try appendInitialValue(of: column) }
    guard before.contains(name) else {
      fields = after.inside[name]
      try appendProperty(column, row)
      fields = nil
      return
    }
    guard let table = column.targetTable, try isEmbedded(table) else { return }
    let (before, after) = (before.inside[name] ?? .all, after.inside[name] ?? .all)
    switch column.collection {
    case .none:
      let target = try row.storedLink(column.leafIndex)
      if !target.isNull { try appendChange(inside: target, table, before, after) }
    case .list, .set:
      let view = try row.list(column)
      for index in 0..<view.storedCount {
        guard case .typedLink(_, let key) = try view.mixedValue(atStored: index) else { continue }
        steps.append(.index(UInt32(index)))
        try appendChange(inside: ObjectKey(key), table, before, after)
        steps.removeLast()
      }
    case .dictionary:
      if column.hasIntegerKeys { return }
      let view = try row.dictionary(column)
      for index in 0..<view.count {
        guard case .typedLink(_, let key) = try view.mixed(at: index) else { continue }
        steps.append(.key(builder.encoder.intern(try view.key(at: index))))
        try appendChange(inside: ObjectKey(key), table, before, after)
        steps.removeLast()
      }
    }
  }

  /// Writes the changes of the embedded object at the end of the path.
  private mutating func appendChange(
    inside object: ObjectKey, _ table: TableKey, _ before: FieldSelection,
    _ after: FieldSelection
  ) throws(StorageError) {
    guard let schema = try source.schema(of: table),
      let row = try source.row(of: object, in: table)
    else { return }
    try visits.enter()
    defer { visits.leave() }
    for column in schema.columns where !before.isEqual(to: after, at: column.name) {
      steps.append(.key(builder.name(column, table, schema)))
      try appendChange(column, row, before, after)
      steps.removeLast()
    }
  }

  /// Writes that the property at the end of the path has the value of new objects.
  private mutating func appendInitialValue(of column: Column) throws(StorageError) {
    guard column.collection == .none else {
      if !column.hasIntegerKeys { clear(column.collection.onWire) }
      return
    }
    if let payload = try payload(column.initialValue, column) { update(payload) }
  }

  // MARK: Mixed values

  /// Writes the value of a mixed property.
  private mutating func appendMixed(
    _ value: MixedValue, _ column: Column, _ space: NodeSpace
  ) throws(StorageError) {
    if case .null = value, isFresh { return }
    guard let payload = try payload(value, column) else { return }
    update(payload)
    try appendNested(value, column, space)
  }

  /// Writes the elements of a collection in a mixed value.
  private mutating func appendNested(
    _ value: MixedValue, _ column: Column, _ space: NodeSpace
  ) throws(StorageError) {
    switch value {
    case .list(let root):
      let view = try ListView(root: root, column: column, in: space)
      try enter(root, count: view.storedCount, space)
      defer { nesting?.leave() }
      if !isFresh { clear(.list) }
      try appendListElements(of: view, column)
    case .dictionary(let root):
      let view = try DictionaryView(root: root, hasIntegerKeys: false, in: space)
      try enter(root, count: view.count, space)
      defer { nesting?.leave() }
      if !isFresh { clear(.dictionary) }
      try appendAllEntries(of: view, column)
    default: return
    }
  }

  private mutating func enter(
    _ root: Ref, count: Int, _ space: NodeSpace
  ) throws(StorageError) {
    if nesting == nil { nesting = MixedNesting(in: space) }
    try nesting?.enter(root, count: count)
    visits.note(elementCount: count)
  }

  private mutating func payload(
    _ value: MixedValue, _ column: Column
  ) throws(StorageError) -> Payload? {
    switch value {
    case .list: return .list
    case .dictionary: return .dictionary
    case .typedLink(let table, let key):
      // A link to a tombstone stays.
      return try payload(
        TableValue.typedLink(TableKey(UInt32(truncatingIfNeeded: table)), ObjectKey(key)), column)
    default:
      guard let scalar = TableValue(scalar: value) else { return nil }
      return try payload(scalar, column)
    }
  }

  // MARK: Collections

  private mutating func appendElements(of view: ListView, _ column: Column) throws(StorageError) {
    if !isFresh { clear(column.collection.onWire) }
    guard column.collection == .set else { return try appendListElements(of: view, column) }
    for index in 0..<view.storedCount {
      guard let payload = try element(index, of: view, column) else { continue }
      builder.encoder.append(.setInsert(.init(path: path(), value: payload)))
    }
  }

  private mutating func appendListElements(
    of view: ListView, _ column: Column
  ) throws(StorageError) {
    var size: UInt32 = 0
    for index in 0..<view.storedCount {
      guard let payload = try element(index, of: view, column) else { continue }
      steps.append(.index(size))
      builder.encoder.append(
        .arrayInsert(.init(path: path(), value: payload, priorSize: size)))
      try appendInside(
        payload, { () throws(StorageError) in try view.mixedValue(atStored: index) }, column,
        view.space)
      steps.removeLast()
      size += 1
    }
  }

  /// An element as a payload; nil for a link without a name on other devices.
  private mutating func element(
    _ index: Int, of view: ListView, _ column: Column
  ) throws(StorageError) -> Payload? {
    guard column.canLink else {
      return try payload(view.value(atStored: index), column)
    }
    return try payload(try view.mixedValue(atStored: index), column)
  }

  private mutating func appendEntries(
    of view: DictionaryView, _ column: Column
  ) throws(StorageError) {
    if !isFresh { clear(.dictionary) }
    try appendAllEntries(of: view, column)
  }

  private mutating func appendAllEntries(
    of view: DictionaryView, _ column: Column
  ) throws(StorageError) {
    for index in 0..<view.count {
      let key = builder.encoder.intern(try view.key(at: index))
      let value = try view.mixed(at: index)
      guard let payload = try payload(value, column) else { continue }
      steps.append(.key(key))
      update(payload)
      try appendInside(payload, { value }, column, view.space)
      steps.removeLast()
    }
  }

  /// Writes the content of the element at the end of the steps.
  private mutating func appendInside(
    _ payload: Payload, _ value: () throws(StorageError) -> MixedValue, _ column: Column,
    _ space: NodeSpace
  ) throws(StorageError) {
    switch payload {
    case .list, .dictionary: try appendNested(try value(), column, space)
    case .objectValue:
      guard case .typedLink(let table, let key) = try value() else { return }
      try appendEmbedded(ObjectKey(key), in: TableKey(UInt32(truncatingIfNeeded: table)))
    default: return
    }
  }

  // MARK: Instructions

  private mutating func path() -> InstructionPath {
    var path = base
    path.elements = builder.encoder.addElements(steps)
    return path
  }

  private mutating func update(_ payload: Payload) {
    builder.encoder.append(.update(.init(path: path(), value: payload)))
  }

  private mutating func clear(_ kind: ChangesetCollectionKind) {
    builder.encoder.append(.clear(.init(path: path(), collection: kind)))
  }
}

extension TableValue {
  /// Whether a new object has the value in a single property.
  fileprivate func isInitial(in column: Column) -> Bool {
    // A zero with a minus sign is none.
    switch self {
    case .float(let number) where number == 0: number.sign == .plus && !column.isNullable
    case .double(let number) where number == 0: number.sign == .plus && !column.isNullable
    default: self == column.initialValue
    }
  }
}
