// SPDX-License-Identifier: Apache-2.0

// A model class in one realm: its columns, its table and its cached write state.
//
// Invariants:
// 1. `hot` lives as long as the core, which owns this object.

import RealmSession
import RealmStorage
import RealmTables

/// A model class in one realm.
@usableFromInline
@safe
final class ClassInfo {
  let layout: ClassLayout
  let schema: ModelSchema
  /// The realm. Unsafe, for speed: the realm owns this object, and each user of it holds the realm.
  unowned(unsafe) let core: RealmCore
  let tableKey: TableKey
  /// By property, its column; nil only for backlinks. Their indexes may come and go.
  private(set) var columns: [Column?]
  /// The schema that `columns` belong to.
  private var knownSchema: TableSchema
  let hot: UnsafeMutablePointer<ClassHot>
  /// By property, how it is written.
  let steps: [PropertyStep]
  let primaryKey: PropertyStep?
  /// Whether the primary key is a property of integers.
  let hasIntegerKey: Bool
  /// Whether the primary key is a property of strings.
  let hasStringKey: Bool
  /// Whether making a row of an object stores all that the object holds.
  let isPlain: Bool
  /// Whether the wrappers of managed objects are marked as managed; nil until there is an object:
  /// the answer takes a search of all conformances of the process.
  @exclusivity(unchecked) private var knownMarking: Bool?
  /// Whether some properties are fields without `@Persisted`.
  let hasLegacyFields: Bool
  /// Transfers the values of new objects to their rows.
  let unmanagedValues: UnmanagedValues
  /// The table in the open transaction; nil outside and before it is first needed.
  @exclusivity(unchecked) private var writable: WritableTable?

  /// By property, the class that it links to; filled when first needed.
  var linkedClasses: [ClassInfo?]

  private var cachedTable: Table?
  private var cachedGeneration = SessionState.noGeneration

  init(_ layout: ClassLayout, core: RealmCore) {
    self.layout = layout
    unsafe self.core = core
    schema = layout.schema
    tableKey = layout.table.key
    columns = layout.columns
    knownSchema = layout.table
    steps = layout.steps
    linkedClasses = Array(repeating: nil, count: steps.count)
    assert(
      layout.columns.count == layout.schema.properties.count
        && layout.steps.count == layout.columns.count,
      "`ClassLayout` 1: each property has a column and a step")
    primaryKey = steps.first { $0.isPrimaryKey }
    hasIntegerKey = schema.primaryKey?.shape.type == .int
    let keyType = schema.primaryKey?.wrapperType.valueType
    hasStringKey = keyType == String.self || keyType == String?.self
    isPlain = steps.allSatisfy { !$0.isPlainlyStored || $0.kind != .other }
    hasLegacyFields = steps.contains { $0.wrapperType.isLegacy }
    // Several threads use the class of a frozen realm at once.
    unsafe knownMarking = core.isFrozen ? ClassInfo.marksManaged(schema.modelClass) : nil
    // A frozen realm has no writers.
    unmanagedValues = UnmanagedValues(core.isFrozen ? [] : steps)
    unsafe hot = UnsafeMutablePointer<ClassHot>.allocate(capacity: 1)
    unsafe hot.initialize(to: ClassHot(state: core.state, columnAtOffset: layout.slots))
    unsafe hot.pointee.info = unsafe Unmanaged.passUnretained(self)
  }

  deinit {
    if let leaves = unsafe hot.pointee.loopLeaves { unsafe leaves.deallocate() }
    unsafe hot.deallocate()
  }

  /// Whether the wrappers of managed objects are marked as managed.
  @inline(__always)
  var marksManaged: Bool {
    if let known = unsafe knownMarking { return known }
    return findMarking()
  }

  @inline(never)
  private func findMarking() -> Bool {
    let marks = ClassInfo.marksManaged(schema.modelClass)
    unsafe knownMarking = marks
    return marks
  }

  /// The table in the version that the realm shows, or as the open transaction left it.
  var table: Table {
    get throws(StorageError) {
      if unsafe core.isInWrite { return try requireWritableTable().table }
      let generation = unsafe core.state.pointee.generation
      if let cachedTable, cachedGeneration == generation { return cachedTable }
      guard let table = try unsafe core.readableTables().table(tableKey) else { refuseRemoval() }
      if table.schema !== knownSchema { adopt(table.schema) }
      cachedTable = table
      cachedGeneration = unsafe core.state.pointee.generation
      return table
    }
  }

  /// Fills all that is otherwise filled when first needed: several threads use the class of a
  /// frozen realm at once.
  func prepareForSharing() throws(StorageError) {
    _ = try table
    for property in schema.properties {
      linkedClasses[property.index] = findLinkedClass(property.index)
    }
  }

  /// The table in the open transaction.
  @inline(__always)
  func requireWritableTable() throws(StorageError) -> WritableTable {
    if let writable = unsafe writable { return writable }
    return try findWritableTable()
  }

  @inline(never)
  private func findWritableTable() throws(StorageError) -> WritableTable {
    guard let table = try unsafe core.transaction?.table(tableKey) else { refuseRemoval() }
    if table.schema !== knownSchema { adopt(table.schema) }
    unsafe writable = table
    return table
  }

  /// Adopts the columns of a schema that another writer has changed: every writer must keep indexes
  /// up to date. Traps if a column no longer exists.
  @inline(never)
  private func adopt(_ changed: TableSchema) {
    var lines: [String] = []
    columns = columns.map { column in
      guard let column else { return nil }
      if changed.name == knownSchema.name, let same = changed.column(column.key) { return same }
      let isThere = changed.column(named: column.name) != nil
      lines.append(
        "- Property '\(schema.className).\(column.name)' has been "
          + "\(isThere ? "changed" : "removed").")
      return column
    }
    if !lines.isEmpty { refuse(lines) }
    assert(columns.count == steps.count, "`ClassLayout` 1: a changed class lost a column")
    knownSchema = changed
  }

  private func refuseRemoval() -> Never {
    refuse(["- Class '\(schema.className)' has been removed."])
  }

  private func refuse(_ changes: [String]) -> Never {
    let lines = ["Unsupported schema changes were made by another client or process:"] + changes
    throwRealmException(lines.joined(separator: "\n"))
  }

  /// Breaks the cycles of classes that link to each other; called when the realm is released.
  func forgetLinkedClasses() { linkedClasses.removeAll() }

  /// Forgets the writable table; called when a transaction ends.
  func forgetWritableTable() { unsafe writable = nil }

  /// The current row of an object; nil if it does not exist.
  func row(of key: ObjectKey) throws(StorageError) -> Row? {
    if unsafe core.isInWrite { return try requireWritableTable().row(of: key) }
    return try table.row(of: key)
  }

  /// The object with that primary key, and its current row.
  func findRow(primaryKey value: TableValue) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    if unsafe core.isInWrite { return try requireWritableTable().findRow(primaryKey: value) }
    return try table.findRow(primaryKey: value)
  }

  /// The object with that string as its primary key, and its current row.
  func findRow(primaryKey text: String) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    if unsafe core.isInWrite { return try requireWritableTable().findRow(primaryKey: text) }
    return try table.findRow(primaryKey: text)
  }

  /// The object with that integer as its primary key, and its current row.
  func findRow(primaryKey value: Int64) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    if unsafe core.isInWrite { return try requireWritableTable().findRow(primaryKey: value) }
    return try table.findRow(primaryKey: value)
  }

  func slot(_ property: ModelProperty) -> _ColumnSlot {
    unsafe hot.pointee.columnAtOffset[property.offset >> 3]
  }

  /// The column of a property; every property but a backlink has one.
  func column(_ property: Int) -> Column {
    guard let column = columns[property] else {
      throwRealmException("LinkingObjects properties are read-only")
    }
    return column
  }

  /// A managed object that represents the object `key`; `row` is its current row, if known.
  @inline(__always)
  func makeObject(_ key: ObjectKey, _ row: Row? = nil) -> ObjectBase {
    let object = schema.modelClass.init()
    object._attach(self, key, row)
    if hasLegacyFields { object._adoptLegacyFields(self) }
    return object
  }

  /// Writes a value in the open transaction.
  func set(_ value: TableValue, property: Int, of object: ObjectBase) {
    let column = column(property)
    if skips(value, column, of: object) { return }
    do throws(StorageError) {
      unsafe try requireWritableTable().set(value, column, object._key)
    } catch { unsafe meet(error, writing: schema.properties[property].name, of: object._key) }
    unsafe core.didMutate()
  }

  /// Writes an element of the property's leaf in the open transaction; `value` is the same value
  /// for comparisons.
  @inline(__always)
  func set<L: Leaf>(
    _ leaf: L.Type, to element: L.Value, _ slot: _ColumnSlot, of object: ObjectBase,
    _ value: @autoclosure () -> TableValue
  ) {
    let column = column(Int(slot.property))
    if skips(value(), column, of: object) { return }
    do throws(StorageError) {
      unsafe try requireWritableTable().set(L.self, to: element, column, object._key)
    } catch {
      let name = schema.properties[Int(slot.property)].name
      unsafe meet(error, writing: name, of: object._key)
    }
    unsafe core.didMutate()
  }

  /// Writes a string in the open transaction.
  func set(_ value: String?, _ slot: _ColumnSlot, of object: ObjectBase) {
    let column = column(Int(slot.property))
    if skips(value.map { .string($0) } ?? .null, column, of: object) { return }
    do throws(StorageError) {
      unsafe try requireWritableTable().set(text: value, column, object._key)
    } catch {
      let name = schema.properties[Int(slot.property)].name
      unsafe meet(error, writing: name, of: object._key)
    }
    unsafe core.didMutate()
  }

  /// Whether a value is not written because the object has an equal one, while `.modified` updates
  /// it.
  @inline(__always)
  private func skips(
    _ value: @autoclosure () -> TableValue, _ column: Column, of object: ObjectBase
  ) -> Bool {
    unsafe core.skipsEqualValues
      && core.reading(try row(of: object._key)?.value(of: column), else: nil) == value()
  }
}
