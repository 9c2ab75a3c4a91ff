// SPDX-License-Identifier: Apache-2.0

// Finding objects by the words of a text.

package import RealmStorage

/// A read-only view of the full-text index of a column.
package struct WordIndex {
  fileprivate let root: Ref
  fileprivate let space: NodeSpace

  /// The objects whose text has the word, ascending.
  package func objects(with word: FullTextTokenizer.Token) throws(StorageError) -> [ObjectKey] {
    try word.bytes.withByteView { (bytes) throws(StorageError) in
      switch try SearchIndexPath.entry(for: IndexData(.string(bytes)), from: root, in: space) {
      case nil, .subindex: []
      case .object(let key): [key]
      case .list(let ref):
        try keys(in: ref)
      }
    }
  }

  /// The objects whose text has a word that begins so, ascending.
  package func objects(
    withPrefix prefix: FullTextTokenizer.Token
  ) throws(StorageError) -> [ObjectKey] {
    let found = try prefix.bytes.withByteView { (bytes) throws(StorageError) in
      try SearchIndexPath.candidates(forPrefix: bytes, from: root, in: space, limit: .max)
    }
    return Set(found ?? []).sorted()
  }

  private func keys(in list: Ref) throws(StorageError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    for index in 0..<(try BTree<IntegerLeaf>.count(list, in: space)) {
      keys.append(ObjectKey(try BTree<IntegerLeaf>.value(at: index, of: list, in: space)))
    }
    return keys
  }
}

extension Table {
  /// The full-text index of a column; nil if it has none.
  package func wordIndex(of column: Column) throws(StorageError) -> WordIndex? {
    guard column.isFullText, column.hasIndex else { return nil }
    let root = try indexRoot(column.leafIndex)
    return root.isNull ? nil : WordIndex(root: root, space: space)
  }
}

extension SearchIndex {
  /// Objects among which all those are whose string begins with `prefix`, ascending; nil if they
  /// are more than `limit`.
  package func candidates(
    forPrefix prefix: ByteView, limit: Int
  ) throws(StorageError) -> [ObjectKey]? {
    try SearchIndexPath.candidates(forPrefix: prefix, from: root, in: space, limit: limit)?.sorted()
  }
}
