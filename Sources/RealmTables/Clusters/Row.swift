// SPDX-License-Identifier: Apache-2.0

// One object of a cluster: typed reads, straight from the column leaves.

public import RealmStorage

/// An object where it lies: a cluster and a position in it.
///
/// Reads take a leaf index (`Column.leafIndex`), allocate nothing but the value they return, and
/// check the bounds of what they touch. The caller knows the column's type; asking for another one
/// gives a wrong value or an error, never undefined behaviour.
///
/// A row of a write transaction is stale once `WriteGroup.structureGeneration` has changed.
@frozen @usableFromInline
package struct Row: Sendable {
  @usableFromInline package let space: NodeSpace
  @usableFromInline package let cluster: Node
  /// The position in the cluster.
  @usableFromInline package var index: Int
  /// Where the values of the table's enumerated string columns are.
  @usableFromInline package let enumerations: EnumerationPlace

  @inlinable @inline(__always)
  package init(space: NodeSpace, cluster: Node, index: Int, enumerations: EnumerationPlace) {
    self.space = space
    self.cluster = cluster
    self.index = index
    self.enumerations = enumerations
  }

  /// The outer node of a column's leaf.
  @inlinable @inline(__always)
  package func leaf(_ leafIndex: Int) throws(StorageError) -> Node {
    try space.node(at: try cluster.ref(at: leafIndex &+ 1))
  }

  // MARK: Numbers

  /// The value of an Int column that is not nullable.
  @inlinable @inline(__always)
  package func int(_ leafIndex: Int) throws(StorageError) -> Int64 {
    try leaf(leafIndex).integer(at: index)
  }

  /// The value of a nullable Int column: element 0 of its leaf represents null.
  @inlinable @inline(__always)
  package func optionalInt(_ leafIndex: Int) throws(StorageError) -> Int64? {
    let leaf = try leaf(leafIndex)
    let value = try leaf.integer(at: index &+ 1)
    return value == leaf.uncheckedInteger(at: 0) ? nil : value
  }

  /// The value of a Bool column that is not nullable.
  @inlinable @inline(__always)
  package func bool(_ leafIndex: Int) throws(StorageError) -> Bool {
    try leaf(leafIndex).integer(at: index) == 1
  }

  /// The value of a nullable Bool column.
  @inlinable @inline(__always)
  package func optionalBool(_ leafIndex: Int) throws(StorageError) -> Bool? {
    let value = try leaf(leafIndex).integer(at: index)
    return value == 3 ? nil : value == 1
  }

  /// The bits of a Float or Double column's value.
  @inlinable @inline(__always)
  func bits<Number: FloatingElement>(
    _ leafIndex: Int, of number: Number.Type
  ) throws(StorageError) -> Number.Bits {
    let leaf = try leaf(leafIndex)
    guard leaf.header.isOf(.multiply, widthCode: Number.widthCode), index < leaf.count else {
      try leaf.refuseElement(index)
    }
    return unsafe leaf.payload.load(
      fromByteOffset: index &* MemoryLayout<Number.Bits>.size, as: Number.Bits.self)
  }

  /// The value of a Float or Double column that is not nullable.
  @inlinable @inline(__always)
  func number<Number: FloatingElement>(_ leafIndex: Int) throws(StorageError) -> Number {
    Number(bitPattern: try bits(leafIndex, of: Number.self))
  }

  /// The value of a nullable Float or Double column.
  @inlinable @inline(__always)
  func optionalNumber<Number: FloatingElement>(_ leafIndex: Int) throws(StorageError) -> Number? {
    let bits = try bits(leafIndex, of: Number.self)
    return bits == Number.nullBits ? nil : Number(bitPattern: bits)
  }

  /// The value of a Float column that is not nullable.
  @inlinable @inline(__always)
  package func float(_ leafIndex: Int) throws(StorageError) -> Float { try number(leafIndex) }

  /// The value of a nullable Float column.
  @inlinable @inline(__always)
  package func optionalFloat(_ leafIndex: Int) throws(StorageError) -> Float? {
    try optionalNumber(leafIndex)
  }

  /// The value of a Double column that is not nullable.
  @inlinable @inline(__always)
  package func double(_ leafIndex: Int) throws(StorageError) -> Double { try number(leafIndex) }

  /// The value of a nullable Double column.
  @inlinable @inline(__always)
  package func optionalDouble(_ leafIndex: Int) throws(StorageError) -> Double? {
    try optionalNumber(leafIndex)
  }

  // MARK: Links and collections

  /// The target of a link column as stored: a tombstone's key too.
  @inlinable @inline(__always)
  package func storedLink(_ leafIndex: Int) throws(StorageError) -> ObjectKey {
    ObjectKey(try leaf(leafIndex).integer(at: index) &- 1)
  }

  /// The target of a link column; nil if there is none or it is a tombstone.
  @inlinable @inline(__always)
  package func link(_ leafIndex: Int) throws(StorageError) -> ObjectKey? {
    let key = try storedLink(leafIndex)
    return key.rawValue < 0 ? nil : key
  }

  /// The root of a list, set or dictionary; null if it is empty.
  @inlinable @inline(__always)
  package func collectionRoot(_ leafIndex: Int) throws(StorageError) -> Ref {
    try leaf(leafIndex).ref(at: index)
  }
}

extension Row {
  /// Asks for the beginnings of the first leaves: who found an object by a value is going to read
  /// the value, and others then, and waits for all of them at once.
  @inline(__always)
  func prefetchLeaves() {
    guard cluster.header.isBits else { return }
    for slot in 1..<max(min(cluster.count, 9), 1) {
      space.prefetchHeader(at: Ref(Int(cluster.uncheckedInteger(at: slot))))
    }
  }
}
