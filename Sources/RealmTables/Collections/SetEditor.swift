// SPDX-License-Identifier: Apache-2.0

// Changing the set of an object.

package import RealmStorage

/// A set of a write transaction. Its elements ascend; positions are those that readers see: links
/// to tombstones are passed over and left alone.
///
/// Every change keeps the backlinks of what is linked up to date, and is recorded in the change
/// log.
package struct SetEditor {
  private let table: WritableTable
  private let column: Column
  private let key: ObjectKey

  init(table: WritableTable, column: Column, key: ObjectKey) {
    self.table = table
    self.column = column
    self.key = key
  }

  private var allocator: NodeAllocator { table.allocator }

  // MARK: Reading

  /// The set as it is now.
  package var view: ListView {
    get throws(StorageError) {
      guard let row = try table.row(of: key) else { throw unsafe .missing(key, table.schema.name) }
      return try row.list(column)
    }
  }

  // MARK: Changing

  /// Inserts a value; false if the set had an equal one, which stays.
  @discardableResult
  package func insert(_ value: TableValue) throws(StorageError) -> Bool {
    try table.checkElement(value, of: column)
    let view = try view
    let place = try view.place(of: value)
    guard !place.isFound else { return false }
    let visible = try visibleIndex(place.index, of: view)
    let isHidden = value.isLinkToTombstone
    let set = try table.openCollection(column, of: key, hidesLink: isHidden)
    let insertion = ListInsertion(
      value: value, index: place.index, root: set.root, allocator: allocator)
    try set.replace(by: try column.visitElements(insertion))
    try table.links.addBacklinks(of: value, column, key)
    if !isHidden || column.type == .mixed {
      table.log.insert(at: visible, in: column.key, of: key, table.key)
    }
    if !isHidden, table.isRecorded {
      try table.recording.editMember(value, column, key, isErased: false)
    }
    return true
  }

  /// Inserts the values that the set does not have.
  package func insert(contentsOf values: [TableValue]) throws(StorageError) {
    for value in values { try insert(value) }
  }

  /// Removes the values that the set has.
  package func remove(contentsOf values: [TableValue]) throws(StorageError) {
    for value in values { try remove(value) }
  }

  /// Removes a value; false if the set does not have it.
  @discardableResult
  package func remove(_ value: TableValue) throws(StorageError) -> Bool {
    let view = try view
    let place = try view.place(of: value)
    guard place.isFound else { return false }
    try remove(atStored: place.index, of: view)
    return true
  }

  /// Removes element `index`.
  package func remove(at index: Int) throws(StorageError) {
    let view = try view
    try remove(atStored: try view.storedIndex(index), of: view)
  }

  /// Removes all elements. Links to tombstones go too.
  package func removeAll() throws(StorageError) {
    let view = try view
    try table.clearCollection(column, of: key, root: view.root, oldCount: view.count)
  }

  /// Replaces all elements; of equal values the first is kept.
  package func replaceAll(with values: [TableValue]) throws(StorageError) {
    for value in values { try table.checkElement(value, of: column) }
    try removeAll()
    try insert(contentsOf: values)
  }

  private func remove(atStored index: Int, of view: ListView) throws(StorageError) {
    let visible = try visibleIndex(index, of: view)
    var old: StoredLink?
    let member = table.isRecorded ? try view.value(atStored: index) : .null
    if column.canLink,
      case .typedLink(let target, let link) = try view.mixedValue(atStored: index)
    {
      old = StoredLink(table: target, key: link)
    }
    let set = try table.openCollection(column, of: key)
    let removal = ListRemoval(index: index, root: set.root, allocator: allocator)
    try set.replace(by: try column.visitElements(removal))
    let isHidden = old?.key.isTombstone == true
    if !isHidden || column.type == .mixed {
      table.log.erase(at: visible, in: column.key, of: key, table.key)
    }
    if !isHidden || column.type == .mixed, table.isRecorded {
      // Reading shows a link to a tombstone as null.
      let link = isHidden ? old.map { TableValue.typedLink($0.table, $0.key) } : nil
      try table.recording.editMember(link ?? member, column, key, isErased: true)
    }
    if let old { try table.links.drop(old, column, key) }
  }

  private func visibleIndex(_ index: Int, of view: ListView) throws(StorageError) -> Int {
    guard column.type == .link, !view.root.isNull else { return index }
    return try LinkKeys.visibleIndex(of: index, in: view.root, allocator.space)
  }
}
