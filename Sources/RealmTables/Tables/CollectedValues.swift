// SPDX-License-Identifier: Apache-2.0

// The values of an object as a reader of rows finds them.
//
// One instance is filled again for each row. A new object begins with the values, so that each goes
// into its leaf once; an object that is there gets them one by one.
//
// Invariants:
// 1. The ranges of `text` lie in `bytes`, and what they hold is UTF-8.
// 2. A value is one of its column: a null only where the column takes it.

package import RealmStorage

/// The values of some columns of one object.
package final class CollectedValues: InitialValues {
  /// A value of a column.
  package enum Value: Sendable {
    /// The row has none: a new object gets the default, another one keeps what it has.
    case absent
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    /// The bytes of a text.
    case text(Range<Int>)
    /// A value of another type, or a text that lies elsewhere.
    case other(TableValue)
  }

  /// The columns, by the position of their values. None is a collection, a link or of any type.
  package let columns: [Column]
  /// See `CollectedValues` 1.
  package var bytes: [UInt8] = []
  private var values: [Value]
  private let positions: [Int]
  private let layouts: [LeafLayout]

  /// - Parameter columns: Columns of single values that are no links, and not of any type.
  package init(_ columns: [Column]) {
    assert(
      columns.allSatisfy { $0.collection == .none && $0.type != .link && $0.type != .mixed },
      "`CollectedValues` 2: a column whose values are not single ones")
    self.columns = columns
    values = Array(repeating: .absent, count: columns.count)
    var positions: [Int] = []
    for (index, column) in columns.enumerated() {
      while positions.count <= column.leafIndex { positions.append(-1) }
      positions[column.leafIndex] = index
    }
    self.positions = positions
    // Enumerated strings are inserted by the table.
    layouts = columns.map {
      LeafLayout(
        kind: $0.leafKind == .enumeratedString ? .string : $0.leafKind, isNullable: $0.isNullable)
    }
  }

  /// The value of a column by its position.
  package subscript(position: Int) -> Value {
    get { values[position] }
    set { values[position] = newValue }
  }

  /// Makes all values absent.
  package func removeAll() {
    for position in values.indices { values[position] = .absent }
  }

  // MARK: New objects

  package func covers(columnAt leafIndex: Int) -> Bool {
    leafIndex < positions.count && positions[leafIndex] >= 0
  }

  package func isDefault(columnAt leafIndex: Int) -> Bool {
    guard covers(columnAt: leafIndex), case .absent = values[positions[leafIndex]] else {
      return false
    }
    return true
  }

  package func insert(
    at position: Int, in cluster: MutableNode, except enumerated: NewPositions?,
    _ allocator: NodeAllocator
  ) throws(StorageError) {
    for index in columns.indices {
      assert(isTextInBytes(at: index), "`CollectedValues` 1")
      if let enumerated, enumerated[columns[index].leafIndex] != nil { continue }
      let slot = columns[index].leafIndex + 1
      let old = try cluster.node.ref(at: slot)
      let new = try insert(valueAt: index, at: position, in: old, allocator)
      if new != old { cluster.store(new.slot, at: slot) }
    }
  }

  /// Inserts the value of a column into its leaf.
  private func insert(
    valueAt index: Int, at position: Int, in leaf: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    switch (values[index], layouts[index].kind) {
    case (.absent, _): try layouts[index].insertDefault(at: position, in: leaf, allocator)
    case (.int(let number), .int):
      try IntegerLeaf.insert(number, at: position, in: leaf, allocator)
    case (.int(let number), .nullableInt):
      try NullableIntegerLeaf.insert(number, at: position, in: leaf, allocator)
    case (.double(let number), .double):
      try DoubleLeaf.insert(number, at: position, in: leaf, allocator)
    case (.bool(let truth), .bool):
      try BoolLeaf.insert(truth, at: position, in: leaf, allocator)
    case (.text(let range), .string):
      try bytes.withByteView(of: range) { (text) throws(StorageError) in
        try StringLeaf.insert(text, at: position, in: leaf, allocator)
      }
    default:
      try columns[index].visitElements(
        Insertion(value: tableValue(at: index), index: position, ref: leaf, allocator: allocator))
    }
  }

  private struct Insertion: ElementVisitor {
    let value: TableValue
    let index: Int
    let ref: Ref
    let allocator: NodeAllocator

    func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> Ref {
      try C.encode(value) { (element) throws(StorageError) in
        try C.L.insert(element, at: index, in: ref, allocator)
      }
    }
  }

  package func position(
    ofTextAt leafIndex: Int, _ find: (ByteView?) throws(StorageError) -> Int64?
  ) throws(StorageError) -> Int64? {
    let index = positions[leafIndex]
    assert(isTextInBytes(at: index), "`CollectedValues` 1")
    switch values[index] {
    case .text(let range): return try bytes.withByteView(of: range, find)
    case .null: return try find(nil)
    case .absent: return try find(StringLeaf.zero(isNullable: columns[index].isNullable))
    case .other(.string(let text)): return try text.withByteView(find)
    case .other(.null): return try find(nil)
    default: throw .typeMismatch(tableValue(at: index))
    }
  }

  // MARK: Objects that are there

  /// Assigns the values to an object, but for those that are absent.
  package func assign(to key: ObjectKey, in table: WritableTable) throws(StorageError) {
    for (index, column) in columns.enumerated() {
      assert(isTextInBytes(at: index), "`CollectedValues` 1")
      switch (values[index], layouts[index].kind) {
      case (.absent, _): continue
      case (.int(let number), .int):
        try table.set(IntegerLeaf.self, to: number, column, key)
      case (.double(let number), .double):
        try table.set(DoubleLeaf.self, to: number, column, key)
      case (.bool(let truth), .bool): try table.set(BoolLeaf.self, to: truth, column, key)
      case (.text(let range), .string):
        try bytes.withByteView(of: range) { (text) throws(StorageError) in
          try table.set(StringLeaf.self, to: text, column, key)
        }
      default: try table.set(tableValue(at: index), column, key)
      }
    }
  }

  /// Whether a value is as `CollectedValues` 1 says, for assertions.
  private func isTextInBytes(at index: Int) -> Bool {
    guard case .text(let range) = values[index] else { return true }
    return range.lowerBound >= 0 && range.upperBound <= bytes.count
  }

  /// A value as one of its own.
  private func tableValue(at index: Int) -> TableValue {
    switch values[index] {
    case .absent, .null: .null
    case .bool(let truth): .bool(truth)
    case .int(let number): .int(number)
    case .double(let number): .double(number)
    case .text(let range): .string(String(decoding: bytes[range], as: UTF8.self))
    case .other(let value): value
    }
  }
}
