// SPDX-License-Identifier: Apache-2.0

// The descent from a top-level object through embedded objects, lists and dictionaries to a value,
// along a path of another device. It is strict: peers that follow the rules of merging send no path
// that does not exist.

import RealmStorage

extension WritableTable {
  /// The place at the end of a path. Everything on the path must exist; its last element or key
  /// need not.
  package func place(
    of object: ObjectKey, _ field: String, _ steps: [PathStep]
  ) throws(PathError) -> ValuePlace {
    let isThere = try accessing(row(of: object) != nil)
    guard isThere else { throw unsafe .missingObject(table: schema.className ?? schema.name) }
    var place = try property(field, of: object)
    for step in steps { place = try place.following(step) }
    return place
  }

  fileprivate func property(_ field: String, of object: ObjectKey) throws(PathError) -> ValuePlace {
    guard let column = unsafe schema.column(named: field) else {
      throw unsafe .missingField(table: schema.className ?? schema.name, field: field)
    }
    return ValuePlace(table: self, column: column, object: object, path: [], end: .property)
  }
}

extension ValuePlace {
  /// The place one step further.
  fileprivate func following(_ step: PathStep) throws(PathError) -> ValuePlace {
    if case .property = end, column.collection != .none {
      return try stepping(step, into: column.collection, at: [])
    }
    if column.type == .link {
      guard case .key(let field) = step,
        let target = try accessing(table.embeddedTarget(of: column))
      else { throw wrongKind }
      return try target.property(field, of: try embeddedObject())
    }
    guard column.type == .mixed else { throw wrongKind }
    let element = try nestedElement()
    guard let nested = element.step else { throw wrongKind }
    var kind = CollectionKind.dictionary
    if case .list = element.value { kind = .list }
    return try stepping(step, into: kind, at: path + [nested])
  }

  private func stepping(
    _ step: PathStep, into kind: CollectionKind, at path: [NestedStep]
  ) throws(PathError) -> ValuePlace {
    let end: End
    switch (kind, step) {
    case (.list, .index(let index)): end = .element(index)
    case (.dictionary, .key(let key)): end = .entry(key)
    default: throw wrongKind
    }
    return ValuePlace(table: table, column: column, object: object, path: path, end: end)
  }

  /// The embedded object that is here.
  private func embeddedObject() throws(PathError) -> ObjectKey {
    if case .element = end { _ = try index() }
    guard let value = try outline() else { throw missingKey }
    guard case .link(let key) = value else { throw .missingEmbeddedObject(field: column.name) }
    return key
  }

  /// The mixed value that is here, and the step to it if it is a collection.
  private func nestedElement() throws(PathError) -> NestedElement {
    if case .element = end { _ = try index() }
    guard let element = try accessing(storedElement()) else { throw missingKey }
    return element
  }

  private func storedElement() throws(StorageError) -> NestedElement? {
    guard let row = try table.row(of: object) else { return nil }
    switch end {
    case .property: return try row.nestedElement(column.leafIndex)
    case .element(let index): return try row.list(column, path)?.nestedElement(at: index)
    case .entry(let key):
      guard let view = try row.dictionary(column, path), let index = try view.position(of: key)
      else { return nil }
      return try view.nestedElement(at: index)
    }
  }

  /// The way to the collection that the mixed value here is.
  func collection() throws(PathError) -> [NestedStep] {
    guard let step = try nestedElement().step else { throw wrongKind }
    return path + [step]
  }

  /// The error for a key that is not there.
  var missingKey: PathError {
    guard case .entry(let key) = end else { return wrongKind }
    return .missingKey(field: column.name, key: key)
  }
}
