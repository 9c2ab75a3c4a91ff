// SPDX-License-Identifier: Apache-2.0

// Names of the leaves that are on their way, so that the layers above compile. Whoever lands one of
// them takes it out of here; the file goes with the last.

package protocol PendingLeaf: Leaf {}

extension PendingLeaf {
  private static var pending: StorageError { .limitExceeded("This leaf is not built yet") }

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    throw pending
  }
  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    throw pending
  }
  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Value { throw pending }
  package static func insert(
    _ value: Value, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { throw pending }
  package static func set(
    _ value: Value, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { throw pending }
  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { throw pending }
  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) { throw pending }
  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { throw pending }
  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    throw pending
  }
}

/// A link to an object of any table.
@frozen @usableFromInline
package struct TypedLink: Hashable, Sendable {
  @usableFromInline package var table: Int64
  @usableFromInline package var key: Int64

  @inlinable
  package init(table: Int64, key: Int64) {
    self.table = table
    self.key = key
  }
}

package enum FloatLeaf: PendingLeaf { package typealias Value = Float? }
package enum DoubleLeaf: PendingLeaf { package typealias Value = Double? }
package enum TimestampLeaf: PendingLeaf { package typealias Value = Timestamp? }
package enum DecimalLeaf: PendingLeaf { package typealias Value = DecimalBits? }
package enum ObjectIdLeaf: PendingLeaf { package typealias Value = Bytes12? }
package enum UUIDLeaf: PendingLeaf { package typealias Value = Bytes16? }
package enum TypedLinkLeaf: PendingLeaf { package typealias Value = TypedLink? }
package enum MixedLeaf: PendingLeaf { package typealias Value = MixedValue }
package enum BacklinkLeaf: PendingLeaf { package typealias Value = Ref }

extension BacklinkLeaf {
  /// Enters one origin key.
  package static func add(
    _ key: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { throw .limitExceeded("This leaf is not built yet") }

  /// Removes one entry of an origin key, if there is one.
  package static func remove(
    _ key: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { throw .limitExceeded("This leaf is not built yet") }
}

extension MixedLeaf {
  /// Stores the new root of a nested collection that has merely moved, without freeing anything.
  package static func replaceCollection(
    _ root: Ref, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { throw .limitExceeded("This leaf is not built yet") }
}
