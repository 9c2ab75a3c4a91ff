// SPDX-License-Identifier: Apache-2.0

// Booleans: 0 is false, 1 is true, 3 is null.

/// A leaf of booleans, nullable or not (file format 4.2.3).
@usableFromInline
package enum BoolLeaf: PackedLeaf {
  @usableFromInline static var null: Int64 { 3 }

  @inlinable @inline(__always)
  package static func value(at index: Int, of node: Node) throws(StorageError) -> Bool? {
    let stored = try node.integer(at: index)
    return stored == null ? nil : stored != 0
  }

  @inlinable @inline(__always)
  package static func stored(_ value: Bool?) -> Int64 {
    value.map { $0 ? 1 : 0 } ?? null
  }

  @inlinable
  package static func zero(isNullable: Bool) -> Bool? { isNullable ? nil : false }

  @usableFromInline
  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    try IntegerNode.validate(ref, in: space)
    let node = try space.node(at: ref)
    for index in 0..<node.count where ![0, 1, null].contains(node.uncheckedInteger(at: index)) {
      throw .corrupted("a leaf of booleans at \(ref.offset) holds another number")
    }
  }
}
