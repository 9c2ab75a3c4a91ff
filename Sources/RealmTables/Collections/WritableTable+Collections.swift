// SPDX-License-Identifier: Apache-2.0

// Where the collections of objects hang.

package import RealmStorage

extension WritableTable {
  /// The list of an object, to be read and changed.
  /// - Parameters:
  ///   - path: The way to a list inside a mixed value.
  ///   - stored: Whether positions count links to tombstones too.
  package func list(
    _ column: Column, _ key: ObjectKey, at path: [NestedStep] = [], stored: Bool = false
  ) throws(StorageError) -> ListEditor {
    guard column.collection == .list || !path.isEmpty else {
      throw .limitExceeded(unsafe "Property '\(schema.name).\(column.name)' is not a list")
    }
    guard try row(of: key) != nil else { throw unsafe .missing(key, schema.name) }
    return ListEditor(table: self, column: column, key: key, path: path, isStored: stored)
  }

  /// The set of an object, to be read and changed.
  package func set(_ column: Column, _ key: ObjectKey) throws(StorageError) -> SetEditor {
    guard column.collection == .set else {
      throw .limitExceeded(unsafe "Property '\(schema.name).\(column.name)' is not a set")
    }
    guard try row(of: key) != nil else { throw unsafe .missing(key, schema.name) }
    return SetEditor(table: self, column: column, key: key)
  }

  /// The dictionary of an object, to be read and changed.
  ///
  /// - Parameter path: The way to a dictionary inside a mixed value.
  package func dictionary(
    _ column: Column, _ key: ObjectKey, at path: [NestedStep] = []
  ) throws(StorageError) -> DictionaryEditor {
    guard column.collection == .dictionary || !path.isEmpty, !column.hasIntegerKeys else {
      throw .limitExceeded(
        unsafe "Property '\(schema.name).\(column.name)' is not a dictionary with strings as keys")
    }
    guard try row(of: key) != nil else { throw unsafe .missing(key, schema.name) }
    return DictionaryEditor(table: self, column: column, key: key, path: path)
  }

  /// Refuses an element that a collection cannot hold, before anything is changed.
  func checkElement(
    _ value: TableValue, of column: Column, at path: [NestedStep] = []
  ) throws(StorageError) {
    if value.isNull, !column.isNullable { throw .typeMismatch(value) }
    try checkNesting(of: value, column, depth: column.depth(at: path))
    try column.forEachLink(in: value) { (link) throws(StorageError) in
      guard let target = try group.table(link.table), try target.tombstones.canBeLinked(link.key)
      else {
        throw unsafe .missing(link.key, schema.name)
      }
    }
  }

  /// Refuses a value that cannot be stored `depth` collections deep in a column.
  private func checkNesting(
    of value: TableValue, _ column: Column, depth: Int
  ) throws(StorageError) {
    guard value.nesting > 0 else { return }
    guard column.type == .mixed, column.collection != .set else { throw .typeMismatch(value) }
    guard depth + value.nesting <= MixedCodec.maximumDepth else {
      throw .limitExceeded("Max nesting level reached")
    }
  }

  /// Removes all elements of a collection; embedded objects are deleted.
  func clearCollection(
    _ column: Column, of key: ObjectKey, at path: [NestedStep] = [], root: Ref, oldCount: Int
  ) throws(StorageError) {
    guard !root.isNull else { return }
    var old: [StoredLink] = []
    if column.canLink, let row = try row(of: key) {
      if path.isEmpty {
        try row.forEachLink(in: column) { old.append($0) }
      } else if let value = try row.nestedCollection(column, path) {
        try LinkWalk.visit(value, in: allocator.space) { old.append($0) }
      }
    }
    let cleared = isRecorded ? try fullKind(column, of: key, at: path) : nil
    let collection = try openCollection(column, of: key, at: path, root: root)
    try allocator.freeTree(root)
    try collection.replace(by: .null)
    log.clear(oldCount: oldCount, in: column.key, of: key, self.key, column.logged(path))
    if let recorder = unsafe log.recorder, let cleared {
      try recorder.didClear(try place(column, key, at: path), cleared)
    }
    for link in old { try links.drop(link, column, key) }
  }

  /// The kind of a collection, if it has elements.
  private func fullKind(
    _ column: Column, of key: ObjectKey, at path: [NestedStep]
  ) throws(StorageError) -> CollectionKind? {
    guard let row = try row(of: key) else { return nil }
    if !path.isEmpty {
      return try row.nestedCollection(column, path)?.fullKind(in: allocator.space)
    }
    let count =
      column.collection == .dictionary
      ? try row.dictionary(column).count : try row.list(column).storedCount
    return count > 0 ? column.collection : nil
  }
}
