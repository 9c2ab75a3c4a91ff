// SPDX-License-Identifier: Apache-2.0

// Transfers the plain values of an object that becomes managed to its new row.
//
// Invariants:
// 1. `object` is set while the row is made, by `making(_:_:)`, and nowhere else.
// 2. Only properties of a `PlainKind` are transferred here; they are stored once, and the rest
//    later.

import RealmStorage
import RealmTables

/// The wrappers of an unmanaged object, as the first values of a row.
///
/// There is one for each class of a realm.
@safe
final class UnmanagedValues: InitialValues {
  /// A property whose wrapper begins `offset` bytes into its object.
  private struct Cell {
    let leafIndex: Int
    let offset: Int
    let kind: PlainKind
  }

  private let cells: [Cell]
  /// By the index of the leaf, the index of the cell; -1 for columns that are not covered.
  private let cellOfLeaf: [Int]
  @exclusivity(unchecked) private var object: UnsafeMutableRawPointer?

  init(_ steps: [PropertyStep]) {
    cells = steps.compactMap { step in
      guard step.kind != .other, !step.isBacklink else { return nil }
      return Cell(leafIndex: step.slot.leaf, offset: step.offset, kind: step.kind)
    }
    var cellOfLeaf: [Int] = []
    for (index, cell) in cells.enumerated() {
      while cellOfLeaf.count <= cell.leafIndex { cellOfLeaf.append(-1) }
      cellOfLeaf[cell.leafIndex] = index
    }
    self.cellOfLeaf = cellOfLeaf
    assert(
      cells.allSatisfy { $0.leafIndex >= 0 && $0.offset & 7 == 0 },
      "`UnmanagedValues` 2: a plain value lies in a slot of its own")
  }

  /// Runs `body`, which makes the row of `object`, with the values of `object`.
  @inline(__always)
  func making<R>(
    _ object: ObjectBase, _ body: @autoclosure () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    unsafe assert(self.object == nil, "`UnmanagedValues` 1: one row is made at a time")
    unsafe self.object = unsafe Unmanaged.passUnretained(object).toOpaque()
    defer { unsafe self.object = nil }
    return try body()
  }

  func covers(columnAt leafIndex: Int) -> Bool {
    leafIndex < cellOfLeaf.count && cellOfLeaf[leafIndex] >= 0
  }

  func isDefault(columnAt leafIndex: Int) -> Bool {
    guard let object = unsafe object, covers(columnAt: leafIndex) else { return false }
    // The flags come first in every wrapper.
    let offset = cells[cellOfLeaf[leafIndex]].offset
    let flags = unsafe (object + offset).assumingMemoryBound(to: PersistedFlags.self).pointee
    return !flags.contains(.assigned)
  }

  func position(
    ofTextAt leafIndex: Int, _ find: (ByteView?) throws(StorageError) -> Int64?
  ) throws(StorageError) -> Int64? {
    guard let object = unsafe object else { preconditionFailure("a row was made of no object") }
    let cell = cells[cellOfLeaf[leafIndex]]
    let wrapper = unsafe _Wrapper(address: object + cell.offset, isFresh: true)
    guard cell.kind == .string else {
      assert(cell.kind == .optionalString, "`UnmanagedValues` 2: the column is one of strings")
      return try (wrapper.value(String?.self) ?? nil).withByteView(find)
    }
    return try (wrapper.value(String.self) ?? "").withByteView(find)
  }

  func insert(
    at position: Int, in cluster: MutableNode, except enumerated: NewPositions?,
    _ allocator: NodeAllocator
  ) throws(StorageError) {
    guard let object = unsafe object else { preconditionFailure("a row was made of no object") }
    for cell in cells {
      if let enumerated, enumerated[cell.leafIndex] != nil { continue }
      let slot = cell.leafIndex &+ 1
      let old = try cluster.node.ref(at: slot)
      let wrapper = unsafe _Wrapper(address: object + cell.offset, isFresh: true)
      let new = try Self.insert(wrapper, cell.kind, at: position, in: old, allocator)
      if new != old { cluster.store(new.slot, at: slot) }
    }
  }

  /// Inserts the value in a wrapper, or the default that it represents, into a leaf.
  @inline(__always)
  private static func insert(
    _ wrapper: _Wrapper, _ kind: PlainKind, at position: Int, in leaf: Ref,
    _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    switch kind {
    case .int:
      let value = Int64(wrapper.value(Int.self) ?? 0)
      return try IntegerLeaf.insert(value, at: position, in: leaf, allocator)
    case .bool:
      let value = wrapper.value(Bool.self) ?? false
      return try BoolLeaf.insert(value, at: position, in: leaf, allocator)
    case .double:
      let value = wrapper.value(Double.self) ?? 0
      return try DoubleLeaf.insert(value, at: position, in: leaf, allocator)
    case .string:
      return try insert(wrapper.value(String.self) ?? "", at: position, in: leaf, allocator)
    case .optionalInt:
      let value = (wrapper.value(Int?.self) ?? nil).map { Int64($0) }
      return try NullableIntegerLeaf.insert(value, at: position, in: leaf, allocator)
    case .optionalBool:
      let value = wrapper.value(Bool?.self) ?? nil
      return try BoolLeaf.insert(value, at: position, in: leaf, allocator)
    case .optionalDouble:
      let value = wrapper.value(Double?.self) ?? nil
      return try DoubleLeaf.insert(value, at: position, in: leaf, allocator)
    case .optionalString:
      guard let value = wrapper.value(String?.self) ?? nil else {
        return try StringLeaf.insert(nil, at: position, in: leaf, allocator)
      }
      return try insert(value, at: position, in: leaf, allocator)
    case .other: preconditionFailure("only plain values are handed over")
    }
  }

  @inline(__always)
  private static func insert(
    _ value: String, at position: Int, in leaf: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try value.withByteView { (view) throws(StorageError) in
      try StringLeaf.insert(view, at: position, in: leaf, allocator)
    }
  }
}
