// SPDX-License-Identifier: Apache-2.0

// Sets and dictionaries of formats before 24, brought to what they are now.

import RealmStorage

/// Turns the collections of one column into those of the present format.
///
/// A caller with several collections calls `upgraded` for each; those that need no change stay
/// where they are.
struct CollectionUpgrade {
  let column: Column
  let format: Int
  let allocator: NodeAllocator

  /// Whether collections of the column may have to change.
  var isNeeded: Bool {
    switch (column.collection, column.type) {
    case (.dictionary, _): format < 23
    case (.set, .string), (.set, .binary), (.set, .mixed): true
    default: false
    }
  }

  /// The root of a collection in the present format.
  ///
  /// - Complexity: O(n log n).
  func upgraded(_ root: Ref) throws(StorageError) -> Ref {
    switch (column.collection, column.type) {
    case (.dictionary, _) where column.hasIntegerKeys:
      try dictionary(root, IntegerLeaf.self) { $0 }
    case (.dictionary, _):
      try dictionary(root, StringLeaf.self, requireKey)
    case (.set, .string): try sorted(root, StringLeaf.self) { $0.map(MixedValue.string) ?? .null }
    case (.set, .binary): try sorted(root, BinaryLeaf.self) { $0.map(MixedValue.binary) ?? .null }
    default:
      try sorted(root, MixedLeaf.self, bytes)
    }
  }

  private func requireKey(_ key: ByteView?) throws(StorageError) -> ByteView {
    guard let key else { throw .corrupted("a key of a dictionary is null") }
    return key
  }

  private func bytes(of value: MixedValue) throws(StorageError) -> MixedValue? {
    try requireFlat(value)
    return value.isBytes ? value : nil
  }

  /// Refuses values that own nodes, which would have two owners when the element is copied. No
  /// collection of an older format could hold others.
  private func requireFlat(_ value: MixedValue) throws(StorageError) {
    if value.isCollection {
      throw .corrupted("a collection of format \(format) holds another one")
    }
  }

  // MARK: Sets

  /// A set whose strings and binaries are in order: strings first, each kind by its bytes.
  ///
  /// They lie together among the values of other types, which had the same order always.
  ///
  /// - Parameter bytes: What an element is ordered by; nil for elements that stay.
  private func sorted<L: Leaf>(
    _ root: Ref, _ leaf: L.Type, _ bytes: (L.Value) throws(StorageError) -> MixedValue?
  ) throws(StorageError) -> Ref {
    var elements: [(value: L.Value, bytes: MixedValue?)] = []
    var leaves = try BTreeLeafCursor<L>(root, in: allocator.space)
    while let (leaf, _, count) = try leaves.next() {
      for index in 0..<count {
        let value = try L.value(at: index, of: leaf, in: allocator.space)
        elements.append((value, try bytes(value)))
      }
    }
    guard let start = elements.firstIndex(where: { $0.bytes != nil }) else { return root }
    let end = elements[start...].firstIndex { $0.bytes == nil } ?? elements.count
    func comes(_ left: (value: L.Value, bytes: MixedValue?), before right: MixedValue?) -> Bool {
      guard let left = left.bytes, let right else { return false }
      return left.isOrdered(before: right)
    }
    let isSorted = (start + 1..<max(end, start + 1)).allSatisfy { index in
      !comes(elements[index], before: elements[index - 1].bytes)
    }
    if isSorted { return root }
    elements[start..<end].sort { comes($0, before: $1.bytes) }
    let new = try tree(leaf, elements.lazy.map(\.value))
    try allocator.freeTree(root)
    return new
  }

  /// A new tree of values that own nothing.
  private func tree<L: Leaf>(
    _ leaf: L.Type, _ elements: some Sequence<L.Value>
  ) throws(StorageError) -> Ref {
    var root = try BTree<L>.make(in: allocator)
    for element in elements { root = try BTree<L>.append(element, to: root, allocator) }
    return root
  }

  // MARK: Dictionaries

  /// A dictionary of the present format made of one that is a cluster tree, in which keys are
  /// ordered by their hashes: leaf 0 has the keys, leaf 1 the values.
  ///
  /// - Parameter unwrap: The key that an element of the leaf of keys is.
  private func dictionary<L: Leaf, Key: Comparable>(
    _ root: Ref, _ leaf: L.Type, _ unwrap: (L.Value) throws(StorageError) -> Key
  ) throws(StorageError) -> Ref {
    let space = allocator.space
    var entries: [(key: Key, element: L.Value, value: MixedValue)] = []
    var cursor = ClusterCursor(ClusterTree(root: root, enumerations: .none, in: space))
    while let cluster = try cursor.next() {
      let (keys, values) = (try cluster.leafRef(0), try cluster.leafRef(1))
      for index in 0..<cluster.count {
        let element = try L.value(at: index, of: keys, in: space)
        let value = try MixedLeaf.value(at: index, of: values, in: space)
        try requireFlat(value)
        entries.append((try unwrap(element), element, value))
      }
      // A tree whose nodes are used twice may have no end.
      guard entries.count < space.fileEnd else { throw StorageError.badCluster("does not end") }
    }
    guard !entries.isEmpty else {
      try allocator.freeTree(root)
      return .null
    }
    entries.sort { $0.key < $1.key }
    for index in 1..<entries.count where entries[index - 1].key == entries[index].key {
      throw .corrupted("a dictionary has a key twice")
    }
    let keys = try tree(leaf, entries.lazy.map(\.element))
    let values = try tree(MixedLeaf.self, entries.lazy.map(\.value))
    try allocator.freeTree(root)
    return try IntegerNode.make([keys.slot, values.slot], flags: .hasRefs, in: allocator).ref
  }
}

extension MixedValue {
  /// Whether the value is a string or a binary.
  fileprivate var isBytes: Bool {
    switch self {
    case .string, .binary: true
    default: false
    }
  }
}
