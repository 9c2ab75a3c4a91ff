// SPDX-License-Identifier: Apache-2.0

// Changesets of other devices become writes (P2 C).
//
// Invariants:
// 1. A cached table or column belongs to the changeset at hand, and is forgotten when an
//    instruction changes the schema.
// 2. The last object exists.
// 3. Nothing of it is recorded.

import RealmStorage
package import RealmSyncProtocol
package import RealmTables
import RealmText

/// Carries out the instructions of changesets in a write transaction.
///
/// Any changeset leads to an error or to its effect; after an error the transaction is to be rolled
/// back. Confined as the transaction.
package struct InstructionApplier {
  /// A class of the changeset, as it is in the file.
  private struct ClassEntry {
    let table: WritableTable
    let name: String
    /// By the index of the name.
    var columns: [Column?] = []
  }

  let group: WriteGroup
  /// The identifier of the file; `FileIdentifier.own` as long as it has none.
  let file: FileIdentifier
  let policy: ApplyPolicy
  /// The limits of changesets; nil if they are trusted.
  var limits: ApplyLimits?
  /// The remaining work of the changesets.
  var workLeft = Int.max

  var changeset = Changeset()
  /// By the index of the name.
  private var classes: [ClassEntry?] = []

  // The object of the last instruction.
  private var lastClass = InternedString(.max)
  private var lastKey = PrimaryKey.null
  private var lastObject = ObjectKey.null

  /// Columns to be added with the next instruction of another kind: clusters are written once for
  /// all of them.
  var newColumns = NewColumns()

  package init(
    _ group: WriteGroup, file: FileIdentifier = .own, policy: ApplyPolicy = .strict,
    limits: ApplyLimits? = nil
  ) {
    assert(group.deleteRules == nil, "InstructionApplier 2: objects would go by rules")
    self.group = group
    self.file = file
    self.policy = policy
    self.limits = limits
    if let limits { workLeft = limits.work }
  }

  /// Gives the following changesets the whole work again: they are another upload's.
  package mutating func renewWork() {
    if let limits { workLeft = limits.work }
    newColumns.rewritten = []
  }

  /// Carries out all instructions of a changeset.
  package mutating func apply(_ changeset: Changeset) throws(ApplyError) {
    begin(changeset)
    let recorder = group.recorder
    group.recorder = nil
    defer { group.recorder = recorder }
    for instruction in changeset.instructions { _ = try perform(instruction) }
    try finish()
  }

  /// Sets the changeset of the following instructions.
  package mutating func begin(_ changeset: Changeset) {
    self.changeset = changeset
    forgetSchema()
    classes.reserveCapacity(changeset.strings.count)
  }

  /// Carries out an instruction of the present changeset.
  ///
  /// - Returns: Whether it was carried out; with the strict policy always true.
  @discardableResult
  package mutating func apply(_ instruction: Instruction) throws(ApplyError) -> Bool {
    let recorder = group.recorder
    group.recorder = nil
    defer { group.recorder = recorder }
    let isDone = try perform(instruction)
    try finish()
    return isDone
  }

  /// Adds the waiting columns.
  private mutating func finish() throws(ApplyError) {
    guard let last = newColumns.last else { return }
    do throws(ApplyProblem) {
      try addNewColumns()
    } catch {
      if case .refused(let cause) = error, !cause.isRefusal { throw .storage(cause) }
      throw .badChangeset(error, instruction: changeset.line(last))
    }
  }

  @inline(__always)
  private mutating func perform(_ instruction: Instruction) throws(ApplyError) -> Bool {
    do throws(ApplyProblem) {
      try run(instruction)
      return true
    } catch {
      if case .refused(let cause) = error, !cause.isRefusal { throw .storage(cause) }
      if policy == .recovering, error.isDropped { return false }
      throw .badChangeset(error, instruction: changeset.line(instruction))
    }
  }

  @inline(__always)
  private mutating func run(_ instruction: Instruction) throws(ApplyProblem) {
    workLeft -= ApplyLimits.instructionWork
    guard workLeft >= 0 else { throw .tooMuchWork }
    if case .addColumn(let step) = instruction { return try addColumn(step) }
    if newColumns.last != nil { try addNewColumns() }
    switch instruction {
    case .createObject(let object): try createObject(object)
    case .update(let step): try update(step)
    case .eraseObject(let object): try eraseObject(object)
    case .addTable(let step): try addTable(step)
    case .eraseTable(let table): try eraseTable(table)
    case .addColumn: assertionFailure("collected above")
    case .eraseColumn(let step): try eraseColumn(step)
    case .addInteger(let step):
      let place = try place(step.path)
      // An increment that has no effect is not made again.
      if policy == .recovering, try walking(place.outline())?.isNull ?? true {
        throw .badValue("null is not increased")
      }
      try walking(place.add(step.amount))
    case .arrayInsert(let step): try insert(step)
    case .arrayMove(let step):
      let place = try place(step.path)
      try walking(place.move(to: Int(step.target), priorSize: Int(step.priorSize)))
    case .arrayErase(let step):
      let place = try place(step.path)
      try walking(place.erase(priorSize: Int(step.priorSize)))
    case .clear(let step): try clear(step)
    case .setInsert(let step): try insertMember(step)
    case .setErase(let step): try eraseMember(step)
    }
  }

  // MARK: Names

  mutating func forgetSchema() {
    classes.removeAll(keepingCapacity: true)
    forgetObject()
  }

  @inline(__always)
  mutating func table(_ name: InternedString) throws(ApplyProblem) -> WritableTable {
    let index = Int(name.index)
    if index < classes.count, let entry = classes[index] { return entry.table }
    return try enterTable(name)
  }

  @inline(never)
  private mutating func enterTable(_ name: InternedString) throws(ApplyProblem) -> WritableTable {
    let text = changeset.text(of: name)
    let table = try ApplyProblem.storing(group.table(named: "class_" + text))
    guard let table else { throw .missingClass(text) }
    let index = Int(name.index)
    while classes.count <= index { classes.append(nil) }
    classes[index] = ClassEntry(table: table, name: text)
    return table
  }

  /// The property of a name; nil if there is none. The class was found before.
  @inline(__always)
  mutating func column(_ field: InternedString, of name: InternedString) -> Column? {
    let (table, index) = (Int(name.index), Int(field.index))
    if let columns = classes[table]?.columns, index < columns.count, let column = columns[index] {
      return column
    }
    return enterColumn(field, of: name)
  }

  @inline(never)
  private mutating func enterColumn(_ field: InternedString, of name: InternedString) -> Column? {
    let (table, index) = (Int(name.index), Int(field.index))
    guard var entry = classes[table],
      let column = entry.table.schema.column(named: changeset.text(of: field))
    else { return nil }
    while entry.columns.count <= index { entry.columns.append(nil) }
    entry.columns[index] = column
    classes[table] = entry
    return column
  }

  // MARK: Objects

  private func className(_ name: InternedString) -> String { changeset.text(of: name) }

  mutating func forgetObject() { lastClass = InternedString(.max) }

  private mutating func createObject(_ object: ObjectReference) throws(ApplyProblem) {
    let table = try table(object.table)
    let key: ObjectKey
    if table.schema.kind == .embedded { throw .embeddedClass(className(object.table)) }
    if table.schema.primaryKey == nil {
      key = try globalKey(object, table)
      if try ApplyProblem.storing(table.row(of: key)) == nil {
        try ApplyProblem.storing(table.createObject(under: key))
      }
    } else {
      let value = try keyValue(object, table)
      key = try ApplyProblem.storing(table.findOrCreate(primaryKey: value).key)
    }
    (lastClass, lastKey, lastObject) = (object.table, object.key, key)
  }

  private mutating func eraseObject(_ object: ObjectReference) throws(ApplyProblem) {
    guard let key = try find(object.table, object.key) else { return }
    let table = try table(object.table)
    forgetObject()
    if policy == .recovering { return try ApplyProblem.storing(table.delete(key)) }
    try ApplyProblem.storing(table.invalidate(key))
  }

  /// The object of a key; nil if there is none.
  @inline(__always)
  mutating func find(_ name: InternedString, _ key: PrimaryKey) throws(ApplyProblem) -> ObjectKey? {
    if name == lastClass, key == lastKey { return lastObject }
    return try findAgain(name, key)
  }

  @inline(never)
  private mutating func findAgain(
    _ name: InternedString, _ key: PrimaryKey
  ) throws(ApplyProblem) -> ObjectKey? {
    let table = try table(name)
    let object = ObjectReference(table: name, key: key)
    guard table.schema.kind != .embedded else { throw .embeddedClass(className(name)) }
    let found: ObjectKey?
    if table.schema.primaryKey == nil {
      let global = try globalKey(object, table)
      found = try ApplyProblem.storing(table.row(of: global)) == nil ? nil : global
    } else {
      let value = try keyValue(object, table)
      found = try ApplyProblem.storing(table.findRow(primaryKey: value)?.key)
    }
    guard let found else { return nil }
    (lastClass, lastKey, lastObject) = (name, key, found)
    return found
  }

  /// The target of a link: if there is none, a tombstone, to get the link at once, and nil where
  /// links to missing objects are dropped.
  mutating func linkTarget(
    _ name: InternedString, _ key: PrimaryKey
  ) throws(ApplyProblem) -> ObjectKey? {
    if policy == .recovering { return try find(name, key) }
    if name == lastClass, key == lastKey { return lastObject }
    let table = try table(name)
    let object = ObjectReference(table: name, key: key)
    guard table.schema.kind != .embedded else { throw .embeddedClass(className(name)) }
    if table.schema.primaryKey == nil {
      let global = try globalKey(object, table)
      return try ApplyProblem.storing(table.linkTarget(forKey: global))
    }
    let value = try keyValue(object, table)
    return try ApplyProblem.storing(table.linkTarget(forPrimaryKey: value))
  }

  /// The key in this file of an object without primary key.
  private func globalKey(
    _ object: ObjectReference, _ table: WritableTable
  ) throws(ApplyProblem) -> ObjectKey {
    guard case .globalKey(let parts) = object.key,
      let key = ObjectKey(globalHigh: parts.high, low: parts.low, ownIdent: file.rawValue)
    else { throw .badKey(className(object.table)) }
    return key
  }

  /// The primary key of an object, in a class with one.
  @inline(__always)
  private func keyValue(
    _ object: ObjectReference, _ table: WritableTable
  ) throws(ApplyProblem) -> TableValue {
    let value: TableValue? =
      switch object.key {
      case .int(let number): .int(number)
      case .objectID(let id): .objectId(Bytes12(high: id.high, low: id.low))
      case .uuid(let id): .uuid(Bytes16(high: id.high, low: id.low))
      case .string(let string): .string(changeset.text(of: string))
      case .null: .null
      case .globalKey: nil
      }
    guard let value, let column = table.schema.primaryKey,
      value.isNull ? column.isNullable : value.type == column.type
    else { throw .badKey(className(object.table)) }
    return value
  }

  // MARK: Properties

  @inline(__always)
  private mutating func update(_ step: Instruction.Update) throws(ApplyProblem) {
    if step.path.elements.isEmpty, let value = scalar(step.value) {
      return try assign(value, step)
    }
    try updateAnywhere(step)
  }

  /// Assigns a property of a top-level object.
  @inline(__always)
  private mutating func assign(
    _ value: TableValue, _ step: Instruction.Update
  ) throws(ApplyProblem) {
    let path = step.path
    let table = try table(path.table)
    guard let object = try find(path.table, path.key) else {
      throw .path(.missingObject(table: changeset.text(of: path.table)))
    }
    guard let column = column(path.field, of: path.table) else {
      throw .missingProperty(changeset.text(of: path.field))
    }
    guard column.collection == .none, !column.isPrimaryKey else {
      throw .path(.wrongKind(field: column.name))
    }
    guard column.takes(value) else { throw .path(.wrongType(field: column.name)) }
    try ApplyProblem.storing(table.set(value, column, object, isDefault: step.isDefault))
  }

  /// A value other than a link or a collection.
  @inline(__always)
  func scalar(_ payload: Payload) -> TableValue? {
    switch payload {
    case .null: .null
    case .int(let number): .int(number)
    case .bool(let truth): .bool(truth)
    case .string(let range): .string(changeset.text(range))
    case .binary(let range): .binary(Array(changeset.bytes(range)))
    case .timestamp(let seconds, let nanoseconds):
      .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .decimal(let bits): .decimal(DecimalBits(low: bits.low, high: bits.high))
    case .objectID(let id): .objectId(Bytes12(high: id.high, low: id.low))
    case .uuid(let id): .uuid(Bytes16(high: id.high, low: id.low))
    case .link, .objectValue, .dictionary, .erased, .list, .set: nil
    }
  }

  // MARK: Errors

  /// What a change at the end of a path gives, with its error as that of the instruction.
  @inline(__always)
  func walking<R>(_ call: @autoclosure () throws(PathError) -> R) throws(ApplyProblem) -> R {
    do throws(PathError) {
      return try call()
    } catch {
      if case .storage(let cause) = error { throw .refused(cause) }
      throw .path(error)
    }
  }
}

extension Column {
  /// Whether a value other than a link or a collection can be in the column.
  @inline(__always)
  fileprivate func takes(_ value: TableValue) -> Bool {
    guard let type = value.type else { return isNullable }
    return self.type == type || self.type == .mixed
  }
}

extension StorageError {
  /// Whether the error is of an impossible request, and not of the database.
  fileprivate var isRefusal: Bool {
    if case .limitExceeded = self { true } else { false }
  }
}

extension ApplyProblem {
  /// Whether an instruction with this problem is dropped when own changes are recovered.
  fileprivate var isDropped: Bool {
    switch self {
    case .classMismatch, .propertyMismatch, .badName, .refused, .erasedSchema, .tooManyProperties,
      .tooManyClasses, .tooMuchWork:
      false
    case .missingClass, .missingProperty, .badKey, .embeddedClass, .badValue, .pathTooLong, .path:
      true
    }
  }
}
