// SPDX-License-Identifier: Apache-2.0

// The changes that another device can make at the end of a path (P2 C).

import RealmStorage

extension ValuePlace {
  // MARK: Values

  /// Assigns a scalar, a link or null. An element must be there, a key need not.
  package func set(_ value: TableValue, isDefault: Bool = false) throws(PathError) {
    try check(value)
    switch end {
    case .property:
      guard column.collection == .none, !column.isPrimaryKey else { throw wrongKind }
      try accessing(table.set(value, column, object, isDefault: isDefault))
    case .element:
      let (list, index) = (try list, try index())
      try accessing(list.set(value, at: index))
    case .entry(let key):
      let dictionary = try dictionary
      try accessing(dictionary.set(value, for: key))
    }
  }

  /// Increases an integer, which wraps around. Null stays, and so does a key that is not there.
  package func add(_ amount: Int64) throws(PathError) {
    if case .element = end { _ = try index() }
    if case .property = end {
      guard column.collection == .none, !column.isPrimaryKey else { throw wrongKind }
    }
    guard column.type == .int || column.type == .mixed else { throw wrongType }
    guard let old = try outline(), !old.isNull else { return }
    guard case .int(let number) = old else { throw wrongType }
    if case .property = end {
      return try accessing(table.add(amount, to: column, of: object))
    }
    try set(.int(number &+ amount))
  }

  /// Makes a mixed value a list or dictionary; one that is of the kind already keeps its elements.
  package func makeCollection(_ kind: CollectionKind, isDefault: Bool = false) throws(PathError) {
    guard column.type == .mixed, kind == .list || kind == .dictionary else { throw wrongType }
    if case .property = end, column.collection != .none { throw wrongKind }
    if case .element = end { _ = try index() }
    let new = kind == .list ? TableValue.list([]) : .dictionary(TableDictionary([]))
    if try outline() == new { return }
    switch end {
    case .property:
      try accessing(table.setMixed(new, column, object, isDefault: isDefault))
    case .element(let index):
      let list = try list
      try accessing(list.set(new, at: index))
    case .entry(let key):
      let dictionary = try dictionary
      try accessing(dictionary.set(new, for: key))
    }
  }

  /// Creates an embedded object: as a property if there is none, as the value of a key in any
  /// case. An element of a list stays what it is.
  package func createEmbedded(isDefault: Bool = false) throws(PathError) {
    guard try isEmbedded else { throw wrongType }
    switch end {
    case .property:
      guard column.collection == .none else { throw wrongKind }
      guard try outline()?.isNull ?? true else { return }
      try accessing(table.createEmbedded(column, of: object, isDefault: isDefault))
    case .element: _ = try index()
    case .entry(let key):
      let dictionary = try dictionary
      try accessing(dictionary.setEmbedded(for: key))
    }
  }

  /// Removes an entry of a dictionary, if it is there.
  package func eraseEntry() throws(PathError) {
    guard case .entry(let key) = end else { throw wrongKind }
    let dictionary = try dictionary
    try accessing(dictionary.remove(key))
  }

  // MARK: Lists

  /// Inserts a scalar, a link or null before the element, in a list of that size.
  package func insert(_ value: TableValue, priorSize: Int) throws(PathError) {
    try check(value)
    let (list, index) = (try list, try index(isNew: true, priorSize: priorSize))
    try accessing(list.insert(value, at: index))
  }

  /// Inserts a new list or dictionary before the element of a list of mixed values.
  package func insertCollection(_ kind: CollectionKind, priorSize: Int) throws(PathError) {
    guard column.type == .mixed, kind == .list || kind == .dictionary else { throw wrongType }
    let (list, index) = (try list, try index(isNew: true, priorSize: priorSize))
    let new = kind == .list ? TableValue.list([]) : .dictionary(TableDictionary([]))
    try accessing(list.insert(new, at: index))
  }

  /// Inserts a new embedded object before the element.
  package func insertEmbedded(priorSize: Int) throws(PathError) {
    let (list, index) = (try list, try index(isNew: true, priorSize: priorSize))
    guard try isEmbedded else { throw wrongType }
    try accessing(list.insertEmbedded(at: index))
  }

  /// Takes the element out and puts it back so that it stands at `target`.
  package func move(to target: Int, priorSize: Int) throws(PathError) {
    let (list, index) = (try list, try index(priorSize: priorSize))
    guard target >= 0, target < priorSize else {
      throw .indexOutOfRange(field: column.name, index: target, size: priorSize)
    }
    try accessing(list.move(from: index, to: target))
  }

  /// Removes the element.
  package func erase(priorSize: Int) throws(PathError) {
    let (list, index) = (try list, try index(priorSize: priorSize))
    try accessing(list.remove(at: index))
  }

  // MARK: Sets

  /// Inserts a value in a set that may have it.
  package func insertMember(_ value: TableValue) throws(PathError) {
    let set = try set
    try check(value)
    try accessing(set.insert(value))
  }

  /// Removes a value from a set that may not have it.
  package func eraseMember(_ value: TableValue) throws(PathError) {
    let set = try set
    try check(value)
    try accessing(set.remove(value))
  }

  private var set: SetEditor {
    get throws(PathError) {
      guard case .property = end, column.collection == .set else { throw wrongKind }
      return try accessing(table.set(column, object))
    }
  }

  // MARK: All collections

  /// Removes all elements of the collection that is here. A mixed value becomes a collection of
  /// that kind.
  ///
  /// - Parameter kind: `none` if the device did not send it, which mixed values need.
  package func clear(_ kind: CollectionKind) throws(PathError) {
    if case .property = end, column.collection != .none {
      guard kind == .none || kind == column.collection else { throw wrongKind }
      return try accessing(clearColumn())
    }
    guard column.type == .mixed, kind == .list || kind == .dictionary else { throw wrongKind }
    if case .entry = end, try outline() == nil { throw missingKey }
    try makeCollection(kind)
    let inside = try collection()
    if kind == .list {
      try accessing(table.list(column, object, at: inside).removeAll())
    } else {
      try accessing(table.dictionary(column, object, at: inside).removeAll())
    }
  }

  private func clearColumn() throws(StorageError) {
    switch column.collection {
    case .list: try table.list(column, object).removeAll()
    case .set: try table.set(column, object).removeAll()
    case .dictionary: try table.dictionary(column, object).removeAll()
    case .none: return
    }
  }
}
