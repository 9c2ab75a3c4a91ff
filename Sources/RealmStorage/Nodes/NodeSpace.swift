// SPDX-License-Identifier: Apache-2.0

// Where the nodes of one version live, and the border at which refs are checked.

/// The address range in which the nodes of one version are found.
///
/// The file is mapped at its start. For the writer, the slab of uncommitted nodes lies above it,
/// with a gap between them:
///
/// ```
/// base                    fileEnd                  slabStart         slabEnd
/// | nodes of the version  | newer, or not ours ... | the write transaction's own nodes |
/// ```
///
/// Invariants:
/// 1. Memory in `[base, base + fileEnd)` is mapped and, as far as this version's nodes go, never
///    changes; memory in `[slabStart, slabEnd)` is mapped (read-only spaces have an empty slab).
/// 2. `node(at:)` is the only way from a ref to a `Node`: it proves alignment and bounds.
@frozen @usableFromInline
@safe
package struct NodeSpace: @unchecked Sendable {
  // Sendable: the pointer is to memory that its owner keeps mapped; see `Node`.

  @usableFromInline package let base: UnsafeRawPointer
  /// The logical size of the version; all its refs are below.
  @usableFromInline package let fileEnd: Int
  @usableFromInline package let slabStart: Int
  @usableFromInline package let slabEnd: Int

  @inlinable
  package init(base: UnsafeRawPointer, fileEnd: Int, slabStart: Int = 0, slabEnd: Int = 0) {
    unsafe self.base = unsafe base
    self.fileEnd = fileEnd
    self.slabStart = slabStart
    self.slabEnd = slabEnd
  }

  /// The node at `ref`, after checking that all of it lies inside this space.
  ///
  /// - Throws: `StorageError.corrupted` for a null, misaligned or out-of-bounds ref and for a node
  ///   that ends outside.
  @inlinable @inline(__always)
  package func node(at ref: Ref) throws(StorageError) -> Node {
    let offset = ref.offset
    let end = offset < fileEnd ? fileEnd : slabEnd
    guard offset & 7 == 0, offset >= 24, offset <= end &- 8,
      offset < fileEnd || offset >= slabStart
    else { try refuse(ref) }
    let address = unsafe base + offset
    let header = unsafe NodeHeader(bits: address.load(as: UInt64.self))
    guard header.fits(in: end &- offset) else { try refuse(ref, header) }
    return unsafe Node(address: address, header: header)
  }

  // Errors are thrown out of line: the optimiser does not see through the witness of a protocol's
  // requirement that throws by itself, and every accessor of a property is one.

  @usableFromInline @inline(never)
  func refuse(_ ref: Ref) throws(StorageError) -> Never {
    throw StorageError.refOutOfBounds(ref, in: self)
  }

  @usableFromInline @inline(never)
  func refuse(_ ref: Ref, _ header: NodeHeader) throws(StorageError) -> Never {
    throw StorageError.nodeOutOfBounds(ref, header, in: self)
  }

  /// Whether the node at `ref` was made by the running write transaction.
  @inlinable @inline(__always)
  package func isWritable(_ ref: Ref) -> Bool { ref.offset >= slabStart && slabStart != 0 }
}
