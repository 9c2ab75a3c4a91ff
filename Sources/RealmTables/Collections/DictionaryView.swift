// SPDX-License-Identifier: Apache-2.0

// Reading a dictionary (file format 4.12).

package import RealmStorage

/// The entries of a dictionary in the order of their keys.
package struct DictionaryView {
  package let space: NodeSpace
  private let keys: Ref
  let values: Ref
  private let hasIntegerKeys: Bool
  /// The dictionary's node; null if it never had an entry.
  let root: Ref
  /// The number of entries.
  package let count: Int

  /// - Parameter root: the dictionary's node; null if it is empty.
  package init(root: Ref, hasIntegerKeys: Bool, in space: NodeSpace) throws(StorageError) {
    self.space = space
    self.root = root
    self.hasIntegerKeys = hasIntegerKeys
    guard !root.isNull else {
      keys = .null
      values = .null
      count = 0
      return
    }
    let node = try space.node(at: root)
    keys = try node.ref(at: 0)
    values = try node.ref(at: 1)
    count =
      hasIntegerKeys
      ? try BTree<IntegerLeaf>.count(keys, in: space)
      : try BTree<StringLeaf>.count(keys, in: space)
    guard try BTree<MixedLeaf>.count(values, in: space) == count else {
      throw .corrupted("a dictionary has more keys than values, or fewer")
    }
  }

  /// The key of entry `index`; integer keys in decimal.
  package func key(at index: Int) throws(StorageError) -> String {
    if hasIntegerKeys {
      return String(try BTree<IntegerLeaf>.value(at: index, of: keys, in: space))
    }
    return try keyBytes(at: index).string
  }

  /// The bytes of the key of entry `index`, which is a string.
  package func keyBytes(at index: Int) throws(StorageError) -> ByteView {
    guard let bytes = try BTree<StringLeaf>.value(at: index, of: keys, in: space) else {
      throw .corrupted("a key of a dictionary is null")
    }
    return bytes
  }

  /// The position of the entry of `name`; nil if there is none.
  ///
  /// - Complexity: O(log n).
  package func position(of name: String) throws(StorageError) -> Int? {
    let place = try place(of: name)
    return place.isFound ? place.index : nil
  }

  /// Where the entry of `name` is, or would be inserted.
  func place(of name: String) throws(StorageError) -> (index: Int, isFound: Bool) {
    guard count > 0 else { return (0, false) }
    guard !hasIntegerKeys else { throw .limitExceeded("The keys of the dictionary are integers") }
    return try name.withByteView { (wanted) throws(StorageError) -> (index: Int, isFound: Bool) in
      var low = 0
      var high = count
      while low < high {
        let middle = (low + high) / 2
        guard let key = try BTree<StringLeaf>.value(at: middle, of: keys, in: space) else {
          throw .corrupted("a key of a dictionary is null")
        }
        if key == wanted { return (middle, true) }
        if key < wanted { low = middle + 1 } else { high = middle }
      }
      return (low, false)
    }
  }

  /// The value of entry `index` as stored.
  package func mixed(at index: Int) throws(StorageError) -> MixedValue {
    try BTree<MixedLeaf>.value(at: index, of: values, in: space)
  }

  /// The value of entry `index` of a dictionary whose values have the type of `column`.
  package func value(at index: Int, of column: Column) throws(StorageError) -> TableValue {
    let value = try MixedCodec.decode(try mixed(at: index), in: space)
    // Values of a dictionary of links are typed links; the column knows the table.
    if column.type == .link, case .typedLink(_, let key) = value { return .link(key) }
    return value
  }

  /// All keys, ascending.
  package func allKeys() throws(StorageError) -> [String] {
    var all: [String] = []
    all.reserveCapacity(claimed: count)
    for index in 0..<count { all.append(try key(at: index)) }
    return all
  }

  /// The objects that the values of a dictionary of links are; nil where the value is null.
  package func links(of column: Column) throws(StorageError) -> [ObjectKey?] {
    var all: [ObjectKey?] = []
    all.reserveCapacity(claimed: count)
    for index in 0..<count {
      if case .link(let key) = try value(at: index, of: column) {
        all.append(key)
      } else {
        all.append(nil)
      }
    }
    return all
  }

  /// All entries.
  package func entries(of column: Column) throws(StorageError) -> TableDictionary {
    var entries: [TableDictionary.Entry] = []
    for index in 0..<count {
      entries.append(
        TableDictionary.Entry(
          key: try key(at: index), value: try value(at: index, of: column)))
    }
    return TableDictionary(entries)
  }
}
