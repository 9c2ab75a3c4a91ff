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
/// 3. The bounds of a space that compares checksums let no ref through: every one comes to the slow
///    path, where its `NodeVerifier` has the true bounds. So other spaces pay nothing for it.
@frozen @usableFromInline
@safe
package struct NodeSpace: @unchecked Sendable {
  // Sendable: the pointer is to memory that its owner keeps mapped; see `Node`.

  @usableFromInline package let base: UnsafeRawPointer
  /// The logical size of the version; 0 in a space that compares checksums.
  @usableFromInline let fileBound: Int
  /// Where the slab starts; `.max` in a space that compares checksums.
  @usableFromInline package let slabStart: Int
  /// Where the slab ends; the address of the verifier in a space that compares checksums.
  @usableFromInline let slabBound: Int

  /// The logical size of the version; all its refs are below.
  @inlinable package var fileEnd: Int { isVerifying ? verifiedFileEnd : fileBound }

  @inlinable package var slabEnd: Int { isVerifying ? 0 : slabBound }

  /// More elements than a node or tree of the space can have: a leaf takes eight bytes at least,
  /// and has `BTreeLimits.entryCount` elements at most. A file may claim more. Below a node of the
  /// file there is none of a transaction.
  package func elementCountMax(below root: Ref) -> Int {
    let end = isWritable(root) ? max(fileEnd, slabEnd) : fileEnd
    return end / NodeHeader.byteCount * BTreeLimits.entryCount
  }

  /// Refuses a node that claims more elements than there are, before it is made larger: elements
  /// without bits take no bytes as long as none has a value.
  func requirePossibleCount(of node: Node, at ref: Ref) throws(StorageError) {
    guard node.count <= elementCountMax(below: ref) else {
      throw .impossibleCount(node.count, of: ref)
    }
  }

  /// No ref to what is mapped is beyond; memory below may be asked for, and not be read.
  @inlinable @inline(__always)
  package var prefetchBound: Int { max(fileBound, slabBound) }

  @inlinable var isVerifying: Bool { slabStart == .max }

  @inlinable
  package init(base: UnsafeRawPointer, fileEnd: Int, slabStart: Int = 0, slabEnd: Int = 0) {
    unsafe self.base = unsafe base
    fileBound = fileEnd
    self.slabStart = slabStart
    slabBound = slabEnd
  }

  /// The space of a version whose nodes are compared with their checksums when they are first
  /// reached. The caller keeps the verifier as long as the space.
  init(verifiedBy verifier: NodeVerifier) {
    unsafe base = unsafe verifier.plain.base
    fileBound = 0
    slabStart = .max
    slabBound = unsafe Int(bitPattern: Unmanaged.passUnretained(verifier).toOpaque())
    assert(slabBound > 0, "`NodeSpace` 3: an address is positive")
  }

  /// The verifier of a space that compares checksums.
  private var verifier: Unmanaged<NodeVerifier>? {
    guard isVerifying, let address = unsafe UnsafeRawPointer(bitPattern: slabBound) else {
      return nil
    }
    return unsafe Unmanaged.fromOpaque(address)
  }

  @usableFromInline @inline(never)
  var verifiedFileEnd: Int {
    unsafe verifier?._withUnsafeGuaranteedRef { $0.plain.fileBound } ?? 0
  }

  /// The node at `ref`, after checking that all of it lies inside this space.
  ///
  /// - Throws: `StorageError.corrupted` for a null, misaligned or out-of-bounds ref and for a node
  ///   that ends outside.
  @inlinable @inline(__always)
  package func node(at ref: Ref) throws(StorageError) -> Node {
    let offset = ref.offset
    let end = offset < fileBound ? fileBound : slabBound
    guard offset & 7 == 0, offset >= 24, offset <= end &- 8,
      offset < fileBound || offset >= slabStart
    else { return try verifiedNode(at: ref) }
    let address = unsafe base + offset
    let header = unsafe NodeHeader(bits: address.load(as: UInt64.self))
    guard header.fits(in: end &- offset) else { try refuse(ref, header) }
    return unsafe Node(address: address, header: header)
  }

  // Errors are thrown out of line: the optimiser does not see through the witness of a protocol's
  // requirement that throws by itself, and every accessor of a property is one.

  /// The node at a ref that does not pass the bounds: refused, or compared with its checksum.
  @usableFromInline @inline(never)
  func verifiedNode(at ref: Ref) throws(StorageError) -> Node {
    guard let verifier = unsafe verifier else {
      throw StorageError.refOutOfBounds(ref, in: self)
    }
    var failure: StorageError?
    let node = unsafe verifier._withUnsafeGuaranteedRef { verifier -> Node? in
      do throws(StorageError) { return try verifier.node(at: ref) } catch {
        failure = error
        return nil
      }
    }
    if let node { return node }
    throw failure ?? StorageError.refOutOfBounds(ref, in: self)
  }

  @usableFromInline @inline(never)
  func refuse(_ ref: Ref, _ header: NodeHeader) throws(StorageError) -> Never {
    throw StorageError.nodeOutOfBounds(ref, header, in: self)
  }

  /// Whether the node at `ref` was made by the running write transaction.
  @inlinable @inline(__always)
  package func isWritable(_ ref: Ref) -> Bool { ref.offset >= slabStart && slabStart != 0 }
}
