// SPDX-License-Identifier: Apache-2.0

// Reading a list or a set.

package import RealmStorage

/// The elements of a list in its order, or of a set in ascending order.
///
/// Links to tombstones are hidden: they do not count, and positions skip them.
package struct ListView {
  package let space: NodeSpace
  package let column: Column
  /// The root of the collection's tree; null if it never had an element.
  package let root: Ref
  /// The elements that are there, hidden ones included.
  package let storedCount: Int
  /// The positions of the visible elements, if any are hidden.
  let visible: [Int]?

  package init(root: Ref, column: Column, in space: NodeSpace) throws(StorageError) {
    self.space = space
    self.column = column
    self.root = root
    storedCount = root.isNull ? 0 : try column.visitElements(CountVisitor(root: root, space: space))
    visible = column.type == .link ? try LinkKeys.visiblePositions(root, in: space) : nil
  }

  /// The number of elements.
  package var count: Int { visible?.count ?? storedCount }

  /// Where element `index` is stored.
  func storedIndex(_ index: Int) throws(StorageError) -> Int {
    guard index >= 0, index < count else {
      throw .outOfBounds(index, count)
    }
    return visible?[index] ?? index
  }

  /// Whether readers see the element that is stored at `stored`.
  func isVisible(_ stored: Int) -> Bool { visible?.contains(stored) ?? true }

  /// The readers' position of the element at `stored`; for a hidden one the next visible one's.
  func visibleIndex(of stored: Int) -> Int {
    guard let visible else { return stored }
    return visible.firstIndex { $0 >= stored } ?? visible.count
  }

  /// Element `index`.
  package func value(at index: Int) throws(StorageError) -> TableValue {
    try value(atStored: try storedIndex(index))
  }

  /// The element that is stored at `stored`, hidden ones included; a link to a tombstone is null.
  package func value(atStored stored: Int) throws(StorageError) -> TableValue {
    try column.visitElements(ValueVisitor(root: root, index: stored, space: space))
  }

  /// Element `index` of a list or set of links.
  package func key(at index: Int) throws(StorageError) -> ObjectKey {
    ObjectKey(try BTree<IntegerLeaf>.value(at: try storedIndex(index), of: root, in: space))
  }

  /// All elements of a list or set of links.
  package func keys() throws(StorageError) -> [ObjectKey] {
    var all: [ObjectKey] = []
    all.reserveCapacity(claimed: count)
    for index in 0..<count { all.append(try key(at: index)) }
    return all
  }

  /// All elements.
  package func values() throws(StorageError) -> [TableValue] {
    var all: [TableValue] = []
    all.reserveCapacity(claimed: count)
    for index in 0..<count { all.append(try value(at: index)) }
    return all
  }
}

struct CountVisitor: ElementVisitor {
  let root: Ref
  let space: NodeSpace

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> Int {
    try BTree<C.L>.count(root, in: space)
  }
}

struct ValueVisitor: ElementVisitor {
  let root: Ref
  let index: Int
  let space: NodeSpace

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> TableValue {
    try C.decode(try BTree<C.L>.value(at: index, of: root, in: space), in: space)
  }
}

extension StorageError {
  /// A position that a collection does not have; layers above check before.
  @inline(never)
  static func outOfBounds(_ index: Int, _ count: Int) -> StorageError {
    .limitExceeded("Index \(index) is out of bounds (must be less than \(count)).")
  }
}
