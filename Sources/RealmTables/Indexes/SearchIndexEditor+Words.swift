// SPDX-License-Identifier: Apache-2.0

// Indexes of whole words: each object is entered once for each of its words, and a word stands
// along its path completely, so that no value is read from objects.
//
// - SeeAlso: file format 4.14.6.

import RealmStorage

/// The column values of an index of words: none are needed.
struct NoValues: IndexedValues {
  func indexedValue(of key: ObjectKey) throws(StorageError) -> MixedValue {
    throw .corrupted("an index of words does not look at values")
  }
}

extension SearchIndexEditor where Values == NoValues {
  init(wordsAt root: Ref, allocator: NodeAllocator) {
    self.init(root: root, allocator: allocator, values: NoValues(), holdsWords: true)
  }

  /// Enters an object under a word, or takes it out.
  mutating func edit(
    _ word: FullTextTokenizer.Token, _ key: ObjectKey, isInsertion: Bool
  ) throws(StorageError) {
    try word.bytes.withByteView { (bytes) throws(StorageError) in
      if isInsertion { try insert(.string(bytes), key) } else { try remove(.string(bytes), key) }
    }
  }
}

extension SearchIndexEditor {
  /// The slot for a chunk that no word has so far.
  func newWordSlot(
    _ value: MixedValue, _ data: IndexData, _ key: ObjectKey, offset: Int
  ) throws(StorageError) -> Int64 {
    if data.ends(within: offset + 4) { return singleSlot(key) }
    let sub = try Self.make(in: allocator)
    return try insert(value, data, key, intoIndex: sub, offset: offset + 4).slot
  }

  /// The slot for a chunk that words have already.
  func mergedWord(
    _ value: MixedValue, _ data: IndexData, _ key: ObjectKey, with entry: SearchIndexEntry,
    offset: Int
  ) throws(StorageError) -> Int64 {
    switch entry {
    case .subindex(let ref):
      return try insert(value, data, key, intoIndex: ref, offset: offset + 4).slot
    case .object(let other):
      if data.ends(within: offset + 4) {
        return other == key
          ? singleSlot(key) : try list(of: [min(key, other), max(key, other)])
      }
      return try deepened(singleSlot(other), value, data, key, offset: offset)
    case .list(let ref):
      if data.ends(within: offset + 4) { return try inserted(key, intoWordList: ref) }
      return try deepened(ref.slot, value, data, key, offset: offset)
    }
  }

  /// A word that ends with the chunk moves one level down, beside a longer one.
  private func deepened(
    _ slot: Int64, _ value: MixedValue, _ data: IndexData, _ key: ObjectKey, offset: Int
  ) throws(StorageError) -> Int64 {
    var editor = try SearchIndexNodeEditor(try Self.make(in: allocator), allocator)
    try editor.insert(IndexData.end, slot, at: 0)
    return try insert(value, data, key, intoIndex: editor.ref, offset: offset + 4).slot
  }

  private func inserted(_ key: ObjectKey, intoWordList ref: Ref) throws(StorageError) -> Int64 {
    let count = try BTree<IntegerLeaf>.count(ref, in: allocator.space)
    let low = try (0..<count).partitionPoint { (middle) throws(StorageError) in
      try element(middle, of: ref) < key
    }
    if low < count, try element(low, of: ref) == key { return ref.slot }
    return try BTree<IntegerLeaf>.insert(key.rawValue, at: low, in: ref, allocator).slot
  }
}

extension IndexData {
  /// The chunk of data that ended with the chunk before it.
  static var end: Int32 { 0x5800_0000 }

  /// Whether the data have no bytes at `offset` or after it.
  func ends(within offset: Int) -> Bool { byteCount <= offset }
}
