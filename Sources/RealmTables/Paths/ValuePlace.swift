// SPDX-License-Identifier: Apache-2.0

// Where a path ends: a property, an element of a list, or the value of a key.

import RealmStorage

/// The place of a value, of which the last step need not exist yet. It is found by
/// `WritableTable.place(of:_:_:)`, and holds until something else is changed.
///
/// Positions and sizes are those of the stored list, links to tombstones included.
package struct ValuePlace {
  /// The last step of a path.
  package enum End: Hashable, Sendable {
    case property
    case element(Int)
    case entry(String)
  }

  /// The table of the object that has the property: that of an embedded object if the path enters
  /// one.
  package let table: WritableTable
  package let column: Column
  package let object: ObjectKey
  /// The way from the column to the collection that the last step is in; empty for the column's.
  package let path: [NestedStep]
  package let end: End

  /// The list in which the last step is a position.
  package var list: ListEditor {
    get throws(PathError) {
      guard case .element = end else { throw wrongKind }
      return try accessing(table.list(column, object, at: path, stored: true))
    }
  }

  /// The dictionary in which the last step is a key.
  package var dictionary: DictionaryEditor {
    get throws(PathError) {
      guard case .entry = end else { throw wrongKind }
      return try accessing(table.dictionary(column, object, at: path))
    }
  }

  /// The size of the list in which the last step is a position.
  package var listSize: Int {
    get throws(PathError) {
      let list = try list
      return try accessing(list.count)
    }
  }

  /// The value that is there, without the elements of a collection; nil if the last step does not
  /// exist. A link to a tombstone is null.
  package func outline() throws(PathError) -> TableValue? {
    try accessing(storedOutline())
  }

  private func storedOutline() throws(StorageError) -> TableValue? {
    guard let row = try table.row(of: object) else { return nil }
    switch end {
    case .property:
      guard column.collection == .none else { return nil }
      return column.type == .mixed
        ? try row.nestedElement(column.leafIndex).value : try row.value(of: column)
    case .element(let index):
      guard let view = try row.list(column, path), index >= 0, index < view.storedCount else {
        return nil
      }
      if column.type != .mixed { return try view.value(atStored: index) }
      return try view.nestedElement(at: index).value
    case .entry(let key):
      guard let view = try row.dictionary(column, path), let index = try view.position(of: key)
      else { return nil }
      return column.type == .mixed
        ? try view.nestedElement(at: index).value : try view.value(at: index, of: column)
    }
  }

  // MARK: Errors

  var wrongKind: PathError { .wrongKind(field: column.name) }
  var wrongType: PathError { .wrongType(field: column.name) }

  /// The position of an element of the list; `isNew` if it is to be inserted.
  func index(isNew: Bool = false, priorSize: Int? = nil) throws(PathError) -> Int {
    guard case .element(let index) = end else { throw wrongKind }
    let size = try listSize
    if let priorSize, priorSize != size {
      throw .sizeMismatch(field: column.name, expected: priorSize, size: size)
    }
    guard index >= 0, index < size || isNew && index == size else {
      throw .indexOutOfRange(field: column.name, index: index, size: size)
    }
    return index
  }

  /// Refuses a value that the place cannot hold.
  func check(_ value: TableValue) throws(PathError) {
    if value.isNull {
      guard column.isNullable else { throw wrongType }
      return
    }
    switch (column.type, value) {
    case (.mixed, .link), (.mixed, .list), (.mixed, .dictionary): throw wrongType
    case (.mixed, _): return
    case (.link, .link): if try isEmbedded { throw wrongType }
    case (.typedLink, _), (.link, _): throw wrongType
    default: guard value.type == column.type else { throw wrongType }
    }
  }

  /// Whether the column holds embedded objects.
  var isEmbedded: Bool {
    get throws(PathError) {
      try accessing(table.embeddedTarget(of: column) != nil)
    }
  }
}
