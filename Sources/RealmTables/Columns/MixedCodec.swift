// SPDX-License-Identifier: Apache-2.0

// Mixed values: a value with its type, or a collection of them (file format 4.9).

import RealmStorage

/// Mixed values as `TableValue`, nested collections included.
enum MixedCodec: ElementCodec {
  typealias L = MixedLeaf

  /// The depth below which collections may nest.
  static let maximumDepth = 100

  static func mixed(_ element: MixedValue, target: TableKey) -> MixedValue { element }

  static func decode(
    _ element: MixedValue, in space: NodeSpace
  ) throws(StorageError) -> TableValue {
    var nesting = MixedNesting(in: space)
    return try decode(element, in: space, &nesting)
  }

  /// The value, without the elements of a collection.
  static func decodeOutline(
    _ element: MixedValue, in space: NodeSpace
  ) throws(StorageError) -> TableValue {
    switch element {
    case .list: .list([])
    case .dictionary: .dictionary(TableDictionary([]))
    default: try decode(element, in: space)
    }
  }

  static func decode(
    _ element: MixedValue, in space: NodeSpace, _ nesting: inout MixedNesting
  ) throws(StorageError) -> TableValue {
    switch element {
    case .list(let root):
      let count = root.isNull ? 0 : try BTree<MixedLeaf>.count(root, in: space)
      try nesting.enter(root, count: count)
      defer { nesting.leave() }
      var values: [TableValue] = []
      for index in 0..<count {
        let element = try BTree<MixedLeaf>.value(at: index, of: root, in: space)
        values.append(try decode(element, in: space, &nesting))
      }
      return .list(values)
    case .dictionary(let root):
      return .dictionary(try decodeDictionary(root, in: space, &nesting))
    default: return TableValue(scalar: element) ?? .null
    }
  }

  /// Any value; collections are written, and belong to the caller, which stores the element.
  static func encode<R>(
    _ value: TableValue, in allocator: NodeAllocator,
    _ body: (MixedValue) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .list(let values): try body(.list(try makeTree(values, in: allocator)))
    case .dictionary(let entries):
      try body(.dictionary(try makeDictionary(entries.entries, in: allocator)))
    default: try encode(value, body)
    }
  }

  /// The root of a new tree; null for no elements.
  private static func makeTree(
    _ values: some Collection<TableValue>, in allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard !values.isEmpty else { return .null }
    var root = try BTree<MixedLeaf>.make(in: allocator)
    for value in values {
      root = try encode(value, in: allocator) { (element) throws(StorageError) -> Ref in
        try BTree<MixedLeaf>.append(element, to: root, allocator)
      }
    }
    return root
  }

  /// A new dictionary node; null for no entries. Of entries with one key the last counts.
  private static func makeDictionary(
    _ entries: [TableDictionary.Entry], in allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard !entries.isEmpty else { return .null }
    var values: [String: TableValue] = [:]
    for entry in entries { values[entry.key] = entry.value }
    let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    var keys = try BTree<StringLeaf>.make(in: allocator)
    for (index, entry) in sorted.enumerated() {
      keys = try BTree<StringLeaf>.insert(entry.key, at: index, in: keys, allocator)
    }
    let tree = try makeTree(sorted.map(\.value), in: allocator)
    return try IntegerNode.make([keys.slot, tree.slot], flags: .hasRefs, in: allocator).ref
  }

  /// Scalars and links only.
  static func encode<R>(
    _ value: TableValue, _ body: (MixedValue) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .link, .list, .dictionary: throw .typeMismatch(value)
    default: return try value.withMixed(body)
    }
  }
}
