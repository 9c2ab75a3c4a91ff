// SPDX-License-Identifier: Apache-2.0

// A leaf of strings for loops: its parts are found and checked once.

/// The parts of a leaf of strings, for reads of many of its elements.
///
/// Invariants:
/// 1. The parts are those of a leaf of the short or the medium form, checked as each read of an
///    element checks them. The leaf does not change as long as they are used.
@frozen @usableFromInline
package struct OpenStringLeaf: Sendable {
  /// The cells of the short form, or the ends of the values of the medium one.
  @usableFromInline let first: Node
  /// The values of the medium form, and which of them are null.
  @usableFromInline let others: (blob: Node, nulls: Node)?

  /// Opens a leaf; nil for the big form, in which each value is a node of its own.
  ///
  /// - Throws: `StorageError.corrupted` if the parts do not belong together.
  package init?(_ leaf: Node, in space: NodeSpace) throws(StorageError) {
    switch BytesForm(leaf.header) {
    case .short:
      guard leaf.header.layout == .multiply else { return nil }
      first = leaf
      others = nil
    case .medium:
      let (offsets, blob, nulls) = try MediumBlobs.parts(leaf, in: space)
      first = offsets
      others = (blob, nulls)
    case .big: return nil
    }
  }

  /// The bytes of an element, valid as those of `StringLeaf.bytes(at:of:in:)`; nil for null.
  @inline(__always)
  package func bytes(at index: Int) throws(StorageError) -> ByteView? {
    guard let others else { return try ShortStrings.value(at: index, of: first) }
    return try MediumBlobs.value(
      at: index, of: (first, others.blob, others.nulls), terminator: StringLeaf.terminator)
  }
}
