// SPDX-License-Identifier: Apache-2.0

// Reads of an object that go through the leaf codecs.

package import RealmStorage

extension Row {
  // MARK: Bytes

  /// The bytes of a String column's value, valid as long as the version (or, in a write
  /// transaction, until the next change); nil for null.
  package func stringBytes(_ leafIndex: Int) throws(StorageError) -> ByteView? {
    let leaf = try leaf(leafIndex)
    if leaf.header.isBits, !leaf.header.hasRefs {
      return try enumeratedBytes(leafIndex, leaf)
    }
    return try StringLeaf.bytes(at: index, of: leaf, in: space)
  }

  /// The value of a String column; nil for null.
  package func string(_ leafIndex: Int) throws(StorageError) -> String? {
    try stringBytes(leafIndex)?.string
  }

  /// The string that a position in the enumeration of a column represents.
  @inline(never)
  func enumeratedBytes(_ leafIndex: Int, _ leaf: Node) throws(StorageError) -> ByteView? {
    let position = Int(try leaf.integer(at: index))
    let values = try enumerations.leaf(ofColumnAt: leafIndex, in: space)
    return try StringLeaf.bytes(at: position, of: try space.node(at: values), in: space)
  }

  /// The bytes of a Binary column's value, valid as those of a string; nil for null.
  package func binary(_ leafIndex: Int) throws(StorageError) -> ByteView? {
    try BinaryLeaf.value(at: index, of: try cluster.ref(at: leafIndex &+ 1), in: space)
  }

  // MARK: Fixed size

  /// The value of a Timestamp column; nil for null.
  package func timestamp(_ leafIndex: Int) throws(StorageError) -> Timestamp? {
    try TimestampLeaf.value(at: index, of: try cluster.ref(at: leafIndex &+ 1), in: space)
  }

  /// The value of a Decimal128 column; nil for null.
  package func decimal(_ leafIndex: Int) throws(StorageError) -> DecimalBits? {
    try DecimalLeaf.value(at: index, of: try cluster.ref(at: leafIndex &+ 1), in: space)
  }

  /// The value of an ObjectId column; nil for null.
  package func objectId(_ leafIndex: Int) throws(StorageError) -> Bytes12? {
    try ObjectIdLeaf.value(at: index, of: try cluster.ref(at: leafIndex &+ 1), in: space)
  }

  /// The value of a UUID column; nil for null.
  package func uuid(_ leafIndex: Int) throws(StorageError) -> Bytes16? {
    try UUIDLeaf.value(at: index, of: try cluster.ref(at: leafIndex &+ 1), in: space)
  }

  /// The value of a Mixed column as stored.
  package func mixed(_ leafIndex: Int) throws(StorageError) -> MixedValue {
    try MixedLeaf.value(at: index, of: try cluster.ref(at: leafIndex &+ 1), in: space)
  }

  // MARK: Any column

  /// The value of any public column, as the SDKs present it.
  package func value(of column: Column) throws(StorageError) -> TableValue {
    switch column.collection {
    case .none:
      if column.type == .string { return try string(column.leafIndex).map { .string($0) } ?? .null }
      let ref = try cluster.ref(at: column.leafIndex + 1)
      if column.type == .binary {
        // A value of an internal table may be longer than a blob, and so a chain of them.
        let bytes = try BinaryLeaf.bytes(at: index, of: ref, in: space)
        return bytes.map { .binary($0) } ?? .null
      }
      return try column.visitElements(LeafValueVisitor(leaf: ref, index: index, space: space))
    case .list, .set: return .list(try list(column).values())
    case .dictionary: return .dictionary(try dictionary(column).entries(of: column))
    }
  }
}

struct LeafValueVisitor: ElementVisitor {
  let leaf: Ref
  let index: Int
  let space: NodeSpace

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> TableValue {
    try C.decode(try C.L.value(at: index, of: leaf, in: space), in: space)
  }
}
