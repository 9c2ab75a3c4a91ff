// SPDX-License-Identifier: Apache-2.0

// Single links: object key plus one, 0 for null.

/// A leaf of single links (file format 4.8.1).
///
/// Links to tombstones are negative keys, which are returned as they are.
@usableFromInline
package enum LinkLeaf: PackedLeaf {
  @inlinable @inline(__always)
  package static func value(at index: Int, of node: Node) throws(StorageError) -> Int64? {
    let stored = try node.integer(at: index)
    return stored == 0 ? nil : stored &- 1
  }

  @inlinable @inline(__always)
  package static func stored(_ key: Int64?) -> Int64 { key.map { $0 &+ 1 } ?? 0 }

  @inlinable
  package static func zero(isNullable: Bool) -> Int64? { nil }
}
