// SPDX-License-Identifier: Apache-2.0

// `ManagedCollection`: a collection of a managed object, in a property or inside a mixed value of
// one. It locates the stored collection, and reads and changes it.
//
// Invariants:
// 1. A collection whose object was deleted has no contents. Reading it traps, unless an observer
//    was notified of its end: that may read the collection which it gets, and finds it empty.
// 2. What was derived from it (results, their sections) is empty from then on, and never traps.

import RealmSession
import RealmStorage
import RealmTables

/// The list, set or dictionary in one property of one object, or inside its mixed values.
final class ManagedCollection {
  let core: RealmCore
  /// The class of the object that has the property.
  let owner: ClassInfo
  let property: ModelProperty
  let column: Column
  let key: ObjectKey
  /// The path from the property to a collection inside a mixed value.
  let path: [NestedStep]
  let kind: CollectionKind
  /// The location of the elements, for collections of mixed values.
  private let place: NestedPlace?
  /// The class of the elements; nil if they are scalars.
  let info: ClassInfo?

  private var birth: UInt64
  private var cached: _CollectionContents?
  private var cachedGeneration: UInt64 = 0
  /// Holds the contents instead of `cached` if the realm is frozen.
  private let frozen: FrozenContents?
  /// Whether an observer was notified that the collection is gone (`ManagedCollection` 1).
  private(set) var hasReportedEnd = false

  convenience init(_ object: ObjectBase, _ owner: ClassInfo, _ slot: _ColumnSlot) {
    unsafe self.init(object._key, owner, slot)
  }

  init(
    _ key: ObjectKey, _ owner: ClassInfo, _ slot: _ColumnSlot, path: [NestedStep] = [],
    kind: CollectionKind? = nil
  ) {
    core = unsafe owner.core
    self.owner = owner
    property = owner.schema.properties[Int(slot.property)]
    column = owner.column(Int(slot.property))
    self.key = key
    self.path = path
    self.kind = kind ?? column.collection
    place = column.type == .mixed ? NestedPlace(owner, key, slot, path) : nil
    info = property.shape.linkedClass == nil ? nil : owner.linkedClass(slot)
    birth = unsafe owner.core.state.pointee.generation
    frozen = unsafe owner.core.isFrozen ? FrozenContents() : nil
  }

  /// The locator of the collection: its identity, independent of a realm.
  var definition: ListLocator {
    ListLocator(table: owner.tableKey, object: key, column: column, path: path, kind: kind)
  }

  /// The collection that `definition` describes, in `core`; nil if its object does not exist there.
  ///
  /// - Parameter orGone: Whether the collection of an object that does not exist is wanted, too, as
  ///   one without elements.
  static func local(
    _ definition: ListLocator, in core: RealmCore, of element: Any.Type, orGone: Bool = false
  ) -> ManagedCollection? {
    let column = definition.column.key
    guard let owner = core.info(ofTable: definition.table, with: column, for: element),
      let index = owner.columns.firstIndex(where: { $0?.key == column })
    else { return nil }
    let slot = owner.slot(owner.schema.properties[index])
    let collection = ManagedCollection(
      definition.object, owner, slot, path: definition.path, kind: definition.kind)
    if collection.isValid { return collection }
    collection.hasReportedEnd = orGone
    return orGone ? collection : nil
  }

  /// The property of the collection, for reports of damage.
  var valueOwner: ValueOwner { ValueOwner(owner, property, key) }

  /// Whether the object still exists.
  var isValid: Bool {
    guard isOfValidRealm, !core.isFrozenAndInvalid
    else { return false }
    guard let row = reading(try owner.row(of: key), else: nil) else { return false }
    return path.isEmpty || reading(try exists(in: row), else: false)
  }

  /// Whether the realm was not invalidated since the collection was made.
  var isOfValidRealm: Bool { birth >= core.firstValidGeneration }

  /// Whether this is the collection in a property of `object`.
  func isOf(_ object: ObjectBase, _ owner: ClassInfo, _ slot: _ColumnSlot) -> Bool {
    unsafe self.owner === owner && key == object._key && property.index == Int(slot.property)
      && path.isEmpty
  }

  /// Whether both are the same collection of the same realm.
  func isSame(as other: ManagedCollection) -> Bool {
    core === other.core && owner === other.owner && key == other.key
      && property.index == other.property.index && path == other.path
  }

  // MARK: Reading

  /// The elements as they are now; of a dictionary the values, without links to nothing.
  func contents() -> _CollectionContents {
    if let contents = presentContents() { return contents }
    refuseUnlessEndIsReported()
    return .empty(core, info)
  }

  /// The elements as they are now; nil if the object that has the collection is gone.
  @inline(__always)
  func presentContents() -> _CollectionContents? {
    noteReading()
    if let frozen { return frozenContents(frozen) }
    if let cached, cachedGeneration == core.dataGeneration { return cached }
    guard let contents = reading(try evaluate(), else: nil) else { return nil }
    cached = contents
    cachedGeneration = core.dataGeneration
    return contents
  }

  private func frozenContents(_ frozen: FrozenContents) -> _CollectionContents? {
    if let loaded = frozen.loaded { return loaded }
    guard let contents = reading(try evaluate(), else: nil) else { return nil }
    return reading(try frozen.contents(contents), else: contents)
  }

  /// The collection as the source of results; traps if it cannot be read.
  var source: _ResultsSource {
    core.checkIsolation()
    if !isValid { refuseUnlessEndIsReported() }
    return _ResultsSource(ResultsState(.list(self), core, info))
  }

  /// Prepares for telling an observer of the collection of `change` (`ManagedCollection` 1).
  func willReport(_ change: ObservedChange) {
    revive()
    if case .collectionDeleted = change { hasReportedEnd = true }
  }

  /// Makes the collection usable again after its realm was invalidated, for its observers.
  func revive() {
    if birth < core.firstValidGeneration { birth = core.firstValidGeneration }
  }

  /// Checks that the collection may be read, and records the read for observation tracking.
  private func noteReading() {
    core.checkIsolation()
    if core.isTracking {
      core.observers?.tracker.noteProperty(
        column.key, of: key, in: owner.tableKey, at: core.shownTables)
    }
  }

  private func evaluate() throws(StorageError) -> _CollectionContents? {
    guard let row = try presentRow() else { return nil }
    guard kind == .dictionary else {
      guard let list = try row.list(column, path) else { return nil }
      return try _CollectionContents(.list(list), core, info, at: place, of: self)
    }
    guard let view = try row.dictionary(column, path) else { return nil }
    return try info == nil
      ? _CollectionContents(.values(view.entries(of: column).entries.map(\.value)), core, nil)
      : _CollectionContents(.keys(view.links(of: column).compactMap(\.self)), core, info)
  }

  /// The entries of a dictionary as they are now.
  func dictionary() -> DictionaryView {
    noteReading()
    if let view = reading(try presentRow()?.dictionary(column, path), else: nil) { return view }
    refuseUnlessEndIsReported()
    return orTrap(try DictionaryView(root: .null, hasIntegerKeys: false, in: owner.table.space))
  }

  /// The value of an entry of the dictionary.
  func value<Value: RealmCollectionValue>(
    at index: Int, of view: DictionaryView
  ) throws(StorageError) -> Value {
    guard place != nil else {
      let value = try view.value(at: index, of: column)
      return Value._decode(_StoredValue(value), _RealmContext(core, info, of: valueOwner))
    }
    return value(of: try view.nestedElement(at: index))
  }

  /// The value of an entry of the dictionary, or what a lost one reads as.
  func readValue<Value: RealmCollectionValue>(at index: Int, of view: DictionaryView) -> Value {
    reading(
      try value(at: index, of: view),
      else: Value._decode(
        _StoredValue(info == nil ? .null : .link(.null)), _RealmContext(core, info)))
  }

  /// The value of an element of a collection of mixed values.
  func value<Value: RealmCollectionValue>(of element: NestedElement) -> Value {
    Value._decode(
      _StoredValue(element.value),
      _RealmContext(
        core, info, at: element.step.flatMap { place?.element($0) }, of: valueOwner))
  }

  private func exists(in row: Row) throws(StorageError) -> Bool {
    kind == .dictionary
      ? try row.dictionary(column, path) != nil : try row.list(column, path) != nil
  }

  /// The object that has the property; nil if it was deleted, or the realm invalidated.
  private func presentRow() throws(StorageError) -> Row? {
    isOfValidRealm ? try owner.row(of: key) : nil
  }

  /// The object that has the property; traps if it was deleted.
  private func requireRow() throws(StorageError) -> Row {
    if let row = try presentRow() { return row }
    refuseUnlessEndIsReported()
    throw owner.missing(key)
  }

  /// Traps because the object that has the collection is gone, unless an observer heard of that,
  /// or damage is to blame.
  private func refuseUnlessEndIsReported() {
    if !hasReportedEnd, !isLost() { refuseInvalid() }
  }

  private func refuseInvalid() -> Never {
    throwRealmException(
      "\(typeName) is no longer valid. Either the parent object was deleted or the containing "
        + "Realm has been invalidated or closed.")
  }

  /// The property that has the collection, in messages.
  var placeText: String { "'\(owner.schema.className).\(property.name)'" }

  /// The name of the collection's kind in messages.
  private var typeName: String {
    switch kind {
    case .set: "Set"
    case .dictionary: "Dictionary"
    case .list, .none: "List"
    }
  }

  // MARK: Changing

  /// Checks that the collection may be changed.
  func requireChangeable() {
    core.checkIsolation()
    if core.isFrozen { throwRealmException(ObjectBase.frozenText) }
    core.requireWrite(
      orElse: "Cannot modify \(typeName) outside of a write transaction. Change \(placeText) in "
        + "'realm.write { … }'.")
    guard let row = reading(try requireRow(), else: nil) else { return }
    if !path.isEmpty, !reading(try exists(in: row), else: true) { refuseInvalid() }
  }

  /// The context that elements need to be written.
  var encoding: _RealmContext {
    var context = _RealmContext(core, info)
    context.depth = path.count + (column.collection == .none ? 0 : 1)
    context.kind = kind
    return context
  }

  /// Checks that the collection may be changed, and returns the contents before the change.
  @discardableResult
  func requireWrite() -> _CollectionContents {
    requireChangeable()
    return contents()
  }

  /// Changes the collection by one of its editors; `requireChangeable()` was called.
  @inline(__always)
  func edit<R>(_ change: @autoclosure () throws(StorageError) -> R) {
    do throws(StorageError) { _ = try change() } catch {
      owner.meet(error, writing: property.name, of: key)
    }
    core.didMutate()
  }

  var listEditor: ListEditor {
    get throws(StorageError) { try owner.requireWritableTable().list(column, key, at: path) }
  }

  var setEditor: SetEditor {
    get throws(StorageError) { try owner.requireWritableTable().set(column, key) }
  }

  var dictionaryEditor: DictionaryEditor {
    get throws(StorageError) { try owner.requireWritableTable().dictionary(column, key, at: path) }
  }

  /// Replaces all elements of a list or set; while `.modified` updates an object, only if they
  /// differ.
  func replaceAll(with values: [TableValue]) {
    let before = reading(try contents().values(), else: [])
    if values.isEmpty && before.isEmpty { return }
    if core.skipsEqualValues, reading(try areEqual(before, values), else: false) { return }
    if kind == .set {
      edit(try setEditor.replaceAll(with: values))
    } else {
      edit(try listEditor.replaceAll(with: values))
    }
  }

  /// Replaces all entries of a dictionary; while `.modified` updates an object, only if they
  /// differ.
  func replaceAll(with entries: TableDictionary) {
    let view = dictionary()
    if entries.entries.isEmpty && view.count == 0 { return }
    if core.skipsEqualValues, view.count == entries.entries.count,
      reading(try view.entries(of: column) == entries, else: false)
    {
      return
    }
    edit(try dictionaryEditor.replaceAll(with: entries))
  }

  /// Whether replacing the elements by `values` would change nothing.
  private func areEqual(_ before: [TableValue], _ values: [TableValue]) throws(StorageError) -> Bool
  {
    guard kind == .set else { return before == values }
    let view = try requireRow().list(column)
    var positions: Set<Int> = []
    for value in values {
      guard let position = try view.position(ofSetElement: value) else { return false }
      positions.insert(position)
    }
    return positions.count == before.count
  }
}
