// SPDX-License-Identifier: Apache-2.0

// Looking into values that may be collections.

import RealmStorage
import RealmTables

/// A stored value of any type, whose elements can be visited if it is a collection.
struct NestedValue {
  private let value: MixedValue
  private let space: NodeSpace

  init(_ value: MixedValue, in space: NodeSpace) {
    self.value = value
    self.space = space
  }

  /// Calls `body` with the values of the parts until it returns true.
  ///
  /// A dictionary has null at a key that it lacks, if the path ends there. Any other place that is
  /// not there has no value, not even null: nothing is asked of it.
  ///
  /// - Parameters:
  ///   - start: The first part to take.
  ///   - nesting: Counts the collections of one row, which may have the same one again and again in
  ///     a damaged file.
  func visit(
    _ parts: [CollectionPart], from start: Int, _ nesting: inout MixedNesting,
    _ body: (MixedValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    guard start < parts.count else { return try body(value) }
    if parts[start].isType { return try body(.string(value.typeName)) }
    switch value {
    case .list(let root): return try visit(listAt: root, parts, start, &nesting, body)
    case .dictionary(let root):
      let view = try DictionaryView(root: root, hasIntegerKeys: false, in: space)
      return try visit(view, at: root, parts, start, &nesting, body)
    default: return false
    }
  }

  private func visit(
    listAt root: Ref, _ parts: [CollectionPart], _ start: Int, _ nesting: inout MixedNesting,
    _ body: (MixedValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    let part = parts[start]
    let count = root.isNull ? 0 : try BTree<MixedLeaf>.count(root, in: space)
    guard !part.isMany else {
      guard part == .every else { return false }
      try nesting.enter(root, count: count)
      defer { nesting.leave() }
      for index in 0..<count {
        let element = try BTree<MixedLeaf>.value(at: index, of: root, in: space)
        if try NestedValue(element, in: space).visit(parts, from: start + 1, &nesting, body) {
          return true
        }
      }
      return false
    }
    guard let index = part.position(in: count) else { return false }
    let element = try BTree<MixedLeaf>.value(at: index, of: root, in: space)
    return try NestedValue(element, in: space).visit(parts, from: start + 1, &nesting, body)
  }

  private func visit(
    _ view: DictionaryView, at root: Ref, _ parts: [CollectionPart], _ start: Int,
    _ nesting: inout MixedNesting, _ body: (MixedValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    switch parts[start] {
    case .value(let key):
      guard let index = try view.position(of: key) else {
        let rest = parts[(start + 1)...]
        return rest.allSatisfy(\.isType)
          ? try body(rest.isEmpty ? .null : .string(MixedValue.null.typeName)) : false
      }
      return try NestedValue(try view.mixed(at: index), in: space).visit(
        parts, from: start + 1, &nesting, body)
    case .values, .every:
      try nesting.enter(root, count: view.count)
      defer { nesting.leave() }
      for index in 0..<view.count
      where try NestedValue(try view.mixed(at: index), in: space).visit(
        parts, from: start + 1, &nesting, body)
      {
        return true
      }
      return false
    case .keys:
      try nesting.enter(root, count: view.count)
      defer { nesting.leave() }
      for index in 0..<view.count where try body(.string(try view.keyBytes(at: index))) {
        return true
      }
      return false
    case .index, .first, .last, .type: return false
    }
  }
}

extension CollectionPart {
  /// The position of the element among `count`; nil if there is no such element.
  func position(in count: Int) -> Int? {
    let position: Int
    switch self {
    case .index(let index): position = index
    case .first: position = 0
    case .last: position = count - 1
    case .value, .keys, .values, .every, .type: return nil
    }
    return position >= 0 && position < count ? position : nil
  }
}

extension MixedValue {
  /// The name of the type of the value in queries.
  var typeName: ByteView {
    switch self {
    case .null: ByteView("null")
    case .int: ByteView("int")
    case .bool: ByteView("bool")
    case .float: ByteView("float")
    case .double: ByteView("double")
    case .string: ByteView("string")
    case .binary: ByteView("data")
    case .timestamp: ByteView("date")
    case .decimal: ByteView("decimal128")
    case .objectId: ByteView("objectId")
    case .uuid: ByteView("uuid")
    case .typedLink: ByteView("object")
    case .list: ByteView("list")
    case .dictionary: ByteView("dictionary")
    }
  }
}

extension ValueReader {
  /// The elements of the collections that the values are.
  var every: ValueReader {
    if case .nested(let end, let parts) = end {
      return ValueReader(steps: steps, end: .nested(end, parts + [.every]))
    }
    return ValueReader(steps: steps, end: .nested(end, [.every]))
  }
}
