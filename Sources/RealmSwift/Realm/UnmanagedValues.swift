// SPDX-License-Identifier: Apache-2.0

// Hands the plain values of an object that becomes managed to its new row.
//
// Invariants:
// 1. `object` is set while the row is made, by `making(_:_:)`, and by nobody else.
// 2. Only properties of a `PlainKind` are handed over; they are stored once, and the rest later.

import RealmStorage
import RealmTables

/// The wrappers of an unmanaged object, as the first values of a row.
///
/// There is one for each class of a realm.
final class UnmanagedValues: InitialValues {
  /// What is stored in the column of a leaf index.
  private struct Cell {
    let offset: Int
    let kind: PlainKind
  }

  private let cells: [Cell?]
  private var object: UnsafeMutableRawPointer?

  init(_ steps: [PropertyStep]) {
    var cells = [Cell?](repeating: nil, count: 1 + (steps.map(\.slot.leaf).max() ?? 0))
    for step in steps where step.isPlainlyStored && step.kind != .other {
      cells[step.slot.leaf] = Cell(offset: step.offset, kind: step.kind)
    }
    self.cells = cells
  }

  /// Runs `body`, which makes the row of `object`.
  func making<R>(
    _ object: ObjectBase, _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    self.object = Unmanaged.passUnretained(object).toOpaque()
    defer { self.object = nil }
    return try body()
  }

  func insert(
    columnAt leafIndex: Int, at position: Int, in leaf: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref? {
    guard let object, leafIndex < cells.count, let cell = cells[leafIndex] else { return nil }
    let wrapper = _Wrapper(address: object + cell.offset, isFresh: true)
    switch cell.kind {
    case .int:
      guard let value = wrapper.value(Int.self) else { return nil }
      return try IntegerLeaf.insert(Int64(value), at: position, in: leaf, allocator)
    case .bool:
      guard let value = wrapper.value(Bool.self) else { return nil }
      return try BoolLeaf.insert(value, at: position, in: leaf, allocator)
    case .double:
      guard let value = wrapper.value(Double.self) else { return nil }
      return try DoubleLeaf.insert(value, at: position, in: leaf, allocator)
    case .string:
      guard let value = wrapper.value(String.self) else { return nil }
      return try insert(value, at: position, in: leaf, allocator)
    case .optionalInt:
      guard let value = wrapper.value(Int?.self) ?? nil else { return nil }
      return try NullableIntegerLeaf.insert(Int64(value), at: position, in: leaf, allocator)
    case .optionalBool:
      guard let value = wrapper.value(Bool?.self) ?? nil else { return nil }
      return try BoolLeaf.insert(value, at: position, in: leaf, allocator)
    case .optionalDouble:
      guard let value = wrapper.value(Double?.self) ?? nil else { return nil }
      return try DoubleLeaf.insert(value, at: position, in: leaf, allocator)
    case .optionalString:
      guard let value = wrapper.value(String?.self) ?? nil else { return nil }
      return try insert(value, at: position, in: leaf, allocator)
    case .other: return nil
    }
  }

  private func insert(
    _ value: String, at position: Int, in leaf: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try value.withByteView { (view) throws(StorageError) in
      try StringLeaf.insert(view, at: position, in: leaf, allocator)
    }
  }
}
