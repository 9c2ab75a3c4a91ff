// SPDX-License-Identifier: Apache-2.0

// The recorder of a synchronised file's transactions: writes become instructions (P2 B, P5 2).
//
// Invariants:
// 1. The changeset has the writes to tables of classes since it was last taken, in their order;
//    changes of the schema come before the data after them.
// 2. Objects and values are named by class, primary key, property and steps, never by names local
//    to this file.
// 3. The last name and key are those of the last object.
// 4. `isLastWritten` says whether the encoder's last object is this one, too.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Builds a changeset while a transaction writes.
///
/// Set as `WriteGroup.recorder` when a transaction begins; `finish(_:)` gives the changeset before
/// the commit. A recorder may serve one transaction after the other. Confined as the transaction.
package final class SyncRecorder: ChangeRecorder {
  // Confined as the transaction, so accesses need no check at run time.
  @exclusivity(unchecked) private var recording: Recording

  /// What was recorded at the beginnings of the open savepoints, the newest last.
  private var savepoints: [Recording] = []

  /// - Parameter file: The file's identifier from the server; `FileIdentifier.own` as long as there
  ///   is none.
  package init(file: FileIdentifier = .own) { unsafe recording = Recording(file: file) }

  /// Ends the changeset and begins the next; no bytes if nothing was written.
  ///
  /// - Parameter limit: What the changeset may have at most; nil where it is not uploaded.
  /// - Throws: `StorageError.limitExceeded` for a larger one.
  package func finish(
    _ group: WriteGroup, within limit: UploadLimit? = nil
  ) throws(StorageError) -> [UInt8] {
    try unsafe recording.finish(group, within: limit)
  }

  /// Forgets the recorded writes, as after a rollback.
  package func removeAll() {
    savepoints = []
    unsafe recording.removeAll()
  }

  package func didBeginSavepoint() { unsafe savepoints.append(recording) }

  package func didKeepSavepoint() { _ = savepoints.popLast() }

  package func didRollBackSavepoint() {
    if let earlier = savepoints.popLast() { unsafe recording = earlier }
  }

  // MARK: Calls

  package func didAddTable(_ table: WritableTable) {
    unsafe recording.didAddTable(table)
  }

  package func willEraseTable(_ table: WritableTable) throws(StorageError) {
    try unsafe recording.willEraseTable(table)
  }

  package func didAddColumn(_ column: Column, to table: WritableTable) {
    unsafe recording.didAddColumn(column, to: table)
  }

  package func willEraseColumn(_ column: Column, from table: WritableTable) throws(StorageError) {
    try unsafe recording.willEraseColumn(column, from: table)
  }

  package func didSetPrimaryKey(_ column: Column?, of table: WritableTable) throws(StorageError) {
    try unsafe recording.didSetPrimaryKey(column, of: table)
  }

  package func didCreate(
    _ object: ObjectKey, primaryKey: TableValue?, in table: WritableTable
  ) throws(StorageError) {
    try unsafe recording.didCreate(object, primaryKey: primaryKey, in: table)
  }

  package func willErase(_ object: ObjectKey, in table: WritableTable) throws(StorageError) {
    try unsafe recording.willErase(object, in: table)
  }

  package func didSet(
    _ value: TableValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
    isDefault: Bool
  ) throws(StorageError) {
    try unsafe recording.didSet(value, column, of: object, in: table, isDefault: isDefault)
  }

  package func didSet(
    plain value: PlainValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
    isDefault: Bool
  ) throws(StorageError) {
    try unsafe recording.didSet(plain: value, column, of: object, in: table, isDefault: isDefault)
  }

  package func didAdd(
    _ amount: Int64, to column: Column, of object: ObjectKey, in table: WritableTable
  ) throws(StorageError) {
    try unsafe recording.didAdd(amount, to: column, of: object, in: table)
  }

  package func didInsert(
    _ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError) {
    try unsafe recording.didInsert(value, at: index, in: place, priorSize: priorSize)
  }

  package func didSet(
    _ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError) {
    try unsafe recording.didSet(value, at: index, in: place, priorSize: priorSize)
  }

  package func didMove(
    from source: Int, to target: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError) {
    try unsafe recording.didMove(from: source, to: target, in: place, priorSize: priorSize)
  }

  package func didErase(
    at index: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError) {
    try unsafe recording.didErase(at: index, in: place, priorSize: priorSize)
  }

  package func didSetEntry(
    _ value: TableValue, for key: String, in place: CollectionPlace
  ) throws(StorageError) {
    try unsafe recording.didSetEntry(value, for: key, in: place)
  }

  package func didEraseEntry(for key: String, in place: CollectionPlace) throws(StorageError) {
    try unsafe recording.didEraseEntry(for: key, in: place)
  }

  package func didInsertMember(
    _ value: TableValue, in place: CollectionPlace
  ) throws(StorageError) {
    try unsafe recording.didInsertMember(value, in: place)
  }

  package func didEraseMember(_ value: TableValue, in place: CollectionPlace) throws(StorageError) {
    try unsafe recording.didEraseMember(value, in: place)
  }

  package func didClear(_ place: CollectionPlace, _ kind: CollectionKind) throws(StorageError) {
    try unsafe recording.didClear(place, kind)
  }
}

extension SyncRecorder {
  /// The changeset that a recorder builds.
  ///
  /// One value, so that a call of the recorder checks for exclusive access once.
  private struct Recording {
    private var builder: ChangesetBuilder
    private var finder = PathFinder()
    private var pending = PendingSchema()

    // The object of the last instruction.
    private var lastTable = TableKey.null
    private var lastObject = ObjectKey.null
    private var lastName = InternedString(0)
    private var lastKey = PrimaryKey.null
    private var isLastWritten = false

    init(file: FileIdentifier) { builder = ChangesetBuilder(file: file) }

    /// Ends the changeset and begins the next; no bytes if nothing was written.
    mutating func finish(
      _ group: WriteGroup, within limit: UploadLimit?
    ) throws(StorageError) -> [UInt8] {
      try writePending(group)
      let excess = limit?.excess(
        byteCount: builder.byteCount, instructionCount: builder.encoder.instructionCount,
        elementCount: builder.encoder.elementCount)
      if let excess {
        removeAll()
        throw .limitExceeded(excess)
      }
      let bytes = builder.take()
      removeAll()
      return bytes
    }

    /// Forgets the recorded writes, as after a rollback.
    mutating func removeAll() {
      builder.removeAll()
      finder.removeAll()
      pending = PendingSchema()
      lastTable = .null
      lastObject = .null
    }

    // MARK: Schema

    mutating func didAddTable(_ table: WritableTable) {
      guard table.schema.className != nil else { return }
      pending.add(table.key)
    }

    mutating func willEraseTable(_ table: WritableTable) throws(StorageError) {
      guard table.schema.className != nil, !pending.remove(table.key) else { return }
      try writePending(table.group)
      forgetObjects()
      builder.encoder.append(.eraseTable(builder.name(table.key, table.schema)))
    }

    mutating func didAddColumn(_ column: Column, to table: WritableTable) {
      guard table.schema.className != nil else { return }
      pending.add(column.key, to: table.key)
    }

    mutating func willEraseColumn(_ column: Column, from table: WritableTable) throws(StorageError)
    {
      guard table.schema.className != nil, !pending.remove(column.key, from: table.key) else {
        return
      }
      try writePending(table.group)
      forgetObjects()
      let name = builder.name(table.key, table.schema)
      builder.encoder.append(
        .eraseColumn(
          .init(table: name, field: builder.name(column, table.key, table.schema))))
    }

    mutating func didSetPrimaryKey(_ column: Column?, of table: WritableTable) throws(StorageError)
    {
      guard let name = table.schema.className, !pending.contains(table.key) else { return }
      throw .limitExceeded(
        "The primary key of '\(name)' cannot be changed in a synchronized Realm")
    }

    /// Writes the added classes and properties: a class when its primary key is known.
    @inline(__always)
    private mutating func writePending(_ group: @autoclosure () -> WriteGroup) throws(StorageError)
    {
      if !pending.isEmpty { try writeSchema(group()) }
    }

    @inline(never)
    private mutating func writeSchema(_ group: WriteGroup) throws(StorageError) {
      let added = pending
      pending = PendingSchema()
      for key in added.tables {
        guard let schema = try group.schema(of: key) else { continue }
        builder.addTable(schema, primaryKey: schema.primaryKey)
      }
      for entry in added.columns {
        guard let schema = try group.schema(of: entry.table),
          let column = schema.column(entry.column), !column.isPrimaryKey
        else { continue }
        try builder.addColumn(column, to: schema, group)
      }
    }

    private mutating func forgetObjects() {
      finder.removeAll()
      lastTable = .null
      lastObject = .null
    }

    // MARK: Objects

    mutating func didCreate(
      _ object: ObjectKey, primaryKey: TableValue?, in table: WritableTable
    ) throws(StorageError) {
      guard builder.role(table.key, table.schema) != .ignored else { return }
      try writePending(table.group)
      lastName = builder.name(table.key, table.schema)
      lastTable = table.key
      lastObject = object
      if let primaryKey {
        lastKey = builder.primaryKey(primaryKey)
      } else {
        lastKey = builder.globalKey(of: object)
      }
      builder.encoder.append(.createObject(ObjectReference(table: lastName, key: lastKey)))
      isLastWritten = true
    }

    mutating func willErase(_ object: ObjectKey, in table: WritableTable) throws(StorageError) {
      guard builder.role(table.key, table.schema) == .topLevel else { return }
      try writePending(table.group)
      guard try find(object, table) else { return }
      builder.encoder.append(.eraseObject(ObjectReference(table: lastName, key: lastKey)))
      lastTable = .null
      lastObject = .null
    }

    /// Makes a top-level object the last one; false if its table is no class's.
    @inline(__always)
    private mutating func find(
      _ object: ObjectKey, _ table: WritableTable
    ) throws(StorageError) -> Bool {
      if object == lastObject, table.key == lastTable { return true }
      return try findAgain(object, table)
    }

    @inline(never)
    private mutating func findAgain(
      _ object: ObjectKey, _ table: WritableTable
    ) throws(StorageError) -> Bool {
      let name = builder.name(table.key, table.schema)
      guard let key = try builder.primaryKey(of: object, in: table.key, table.group) else {
        return false
      }
      (lastTable, lastObject, lastName, lastKey) = (table.key, object, name, key)
      isLastWritten = false
      return true
    }

    // MARK: Properties

    mutating func didSet(
      _ value: TableValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
      isDefault: Bool
    ) throws(StorageError) {
      guard let path = try path(column, object, table, [], nil) else { return forgetSteps() }
      if case .string(let text) = value {
        return builder.encoder.appendUpdate(path, text: text, isDefault: isDefault)
      }
      guard let payload = try builder.payload(value, column, table.group) else {
        return forgetSteps()
      }
      builder.encoder.appendUpdate(path, payload, isDefault: isDefault)
    }

    /// Writes a value of one of the commonest types, encoded without a copy.
    mutating func didSet(
      plain value: PlainValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
      isDefault: Bool
    ) throws(StorageError) {
      if object == lastObject, isLastWritten, table.key == lastTable, pending.isEmpty,
        let field = builder.knownName(column, lastTable)
      {
        if case .text(let view) = value {
          unsafe builder.encoder.appendUpdate(ofLast: field, utf8: view.bytes, isDefault: isDefault)
        } else {
          builder.encoder.appendUpdate(ofLast: field, value.payload, isDefault: isDefault)
        }
        return
      }
      try setFirst(value, column, of: object, in: table, isDefault: isDefault)
    }

    @inline(never)
    private mutating func setFirst(
      _ value: PlainValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
      isDefault: Bool
    ) throws(StorageError) {
      guard let path = try path(column, object, table, [], nil) else { return forgetSteps() }
      if case .text(let view) = value {
        unsafe builder.encoder.appendUpdate(path, utf8: view.bytes, isDefault: isDefault)
      } else {
        builder.encoder.appendUpdate(path, value.payload, isDefault: isDefault)
      }
      isLastWritten = object == lastObject && table.key == lastTable
    }

    mutating func didAdd(
      _ amount: Int64, to column: Column, of object: ObjectKey, in table: WritableTable
    ) throws(StorageError) {
      // Peers add to columns of integers alone.
      guard column.type == .int else {
        guard let value = try table.row(of: object)?.value(of: column) else { return }
        return try didSet(value, column, of: object, in: table, isDefault: false)
      }
      guard let path = try path(column, object, table, [], nil) else { return forgetSteps() }
      builder.encoder.append(.addInteger(.init(path: path, amount: amount)))
    }

    // MARK: Lists

    mutating func didInsert(
      _ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int
    ) throws(StorageError) {
      try noteShift(of: place)
      guard let path = try path(place, .index(index)),
        let payload = try builder.payload(value, place.column, place.table.group)
      else { return forgetSteps() }
      builder.encoder.append(
        .arrayInsert(.init(path: path, value: payload, priorSize: Self.size(priorSize))))
      if case .objectValue = payload { finder.noteInsertion(at: index) }
    }

    mutating func didSet(
      _ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int
    ) throws(StorageError) {
      guard let path = try path(place, .index(index)),
        let payload = try builder.payload(value, place.column, place.table.group)
      else { return forgetSteps() }
      builder.encoder.append(
        .update(.init(path: path, value: payload, priorSize: Self.size(priorSize))))
    }

    mutating func didMove(
      from source: Int, to target: Int, in place: CollectionPlace, priorSize: Int
    ) throws(StorageError) {
      try noteShift(of: place)
      guard let path = try path(place, .index(source)) else { return forgetSteps() }
      builder.encoder.append(
        .arrayMove(
          .init(path: path, target: Self.size(target), priorSize: Self.size(priorSize))))
    }

    mutating func didErase(
      at index: Int, in place: CollectionPlace, priorSize: Int
    ) throws(StorageError) {
      try noteShift(of: place)
      guard let path = try path(place, .index(index)) else { return forgetSteps() }
      builder.encoder.append(.arrayErase(.init(path: path, priorSize: Self.size(priorSize))))
    }

    private static func size(_ size: Int) -> UInt32 { UInt32(truncatingIfNeeded: size) }

    // MARK: Dictionaries

    mutating func didSetEntry(
      _ value: TableValue, for key: String, in place: CollectionPlace
    ) throws(StorageError) {
      try noteShift(of: place)
      guard let path = try path(place, .key(key)),
        let payload = try builder.payload(value, place.column, place.table.group)
      else { return forgetSteps() }
      builder.encoder.append(.update(.init(path: path, value: payload)))
    }

    mutating func didEraseEntry(for key: String, in place: CollectionPlace) throws(StorageError) {
      try noteShift(of: place)
      guard let path = try path(place, .key(key)) else { return forgetSteps() }
      builder.encoder.append(.update(.init(path: path, value: .erased)))
    }

    // MARK: Sets

    mutating func didInsertMember(
      _ value: TableValue, in place: CollectionPlace
    ) throws(StorageError) {
      guard let path = try path(place, nil),
        let payload = try builder.payload(value, place.column, place.table.group)
      else { return forgetSteps() }
      builder.encoder.append(.setInsert(.init(path: path, value: payload)))
    }

    mutating func didEraseMember(
      _ value: TableValue, in place: CollectionPlace
    ) throws(StorageError) {
      guard let path = try path(place, nil),
        let payload = try builder.payload(value, place.column, place.table.group)
      else { return forgetSteps() }
      builder.encoder.append(.setErase(.init(path: path, value: payload)))
    }

    // MARK: All collections

    mutating func didClear(_ place: CollectionPlace, _ kind: CollectionKind) throws(StorageError) {
      try noteShift(of: place)
      guard let path = try path(place, nil) else { return forgetSteps() }
      builder.encoder.append(.clear(.init(path: path, collection: kind.onWire)))
    }

    // MARK: Paths

    /// Forgets positions below an object after a change of a collection of embedded objects.
    @inline(__always)
    private mutating func noteShift(of place: CollectionPlace) throws(StorageError) {
      if place.column.type == .link { finder.noteShift(of: place.object, in: place.table.key) }
    }

    /// Drops the steps of an instruction that is not written after all.
    private mutating func forgetSteps() { builder.encoder.removePending() }

    @inline(__always)
    private mutating func path(
      _ place: CollectionPlace, _ element: PathStep?
    ) throws(StorageError) -> InstructionPath? {
      try path(place.column, place.object, place.table, place.path, element)
    }

    /// The path to a value; nil if it does not concern other devices: in an internal table, or in
    /// an embedded object without a link.
    @inline(__always)
    private mutating func path(
      _ column: Column, _ object: ObjectKey, _ table: WritableTable, _ nested: [PathStep],
      _ element: PathStep?
    ) throws(StorageError) -> InstructionPath? {
      switch builder.role(table.key, table.schema) {
      case .ignored: return nil
      case .topLevel, .asymmetric:
        try writePending(table.group)
        guard try find(object, table) else { return nil }
        let field = builder.name(column, table.key, table.schema)
        var path = InstructionPath(table: lastName, key: lastKey, field: field)
        if element != nil || !nested.isEmpty {
          path.elements = steps([], nil, nested, element)
        }
        return path
      case .embedded:
        return try embeddedPath(column, object, table, nested, element)
      }
    }

    @inline(never)
    private mutating func embeddedPath(
      _ column: Column, _ object: ObjectKey, _ table: WritableTable, _ nested: [PathStep],
      _ element: PathStep?
    ) throws(StorageError) -> InstructionPath? {
      isLastWritten = false
      try writePending(table.group)
      guard let count = try finder.find(object, in: table, &builder), var path = finder.base else {
        return nil
      }
      guard count + nested.count + 2 <= PathLimit.stepCountMax else {
        throw .limitExceeded("Too many objects are embedded in each other")
      }
      let field = builder.name(column, table.key, table.schema)
      path.elements = steps(finder.steps[..<count], field, nested, element)
      return path
    }

    /// The steps below a property of a top-level object.
    private mutating func steps(
      _ owner: ArraySlice<PathElement>, _ field: InternedString?, _ nested: [PathStep],
      _ element: PathStep?
    ) -> ElementRange {
      let start = builder.encoder.addElements(owner)
      var count = start.count
      func add(_ step: PathElement) {
        _ = builder.encoder.addElements(CollectionOfOne(step))
        count += 1
      }
      if let field { add(.key(field)) }
      for step in nested { add(self.step(step)) }
      if let element { add(step(element)) }
      return ElementRange(start: 0, count: count)
    }

    private mutating func step(_ step: PathStep) -> PathElement {
      switch step {
      case .index(let index): .index(Self.size(index))
      case .key(let key): .key(builder.encoder.intern(key))
      }
    }
  }
}

extension PlainValue {
  /// The value as instructions carry it; texts are written by their bytes instead.
  fileprivate var payload: Payload {
    switch self {
    case .null: return .null
    case .int(let number): return .int(number)
    case .bool(let truth): return .bool(truth)
    case .double(let number): return .double(number)
    case .timestamp(let date):
      return .timestamp(seconds: date.seconds, nanoseconds: date.nanoseconds)
    case .text: preconditionFailure("texts have no payload")
    }
  }
}
