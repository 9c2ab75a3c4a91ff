// SPDX-License-Identifier: Apache-2.0

// An end for walks over what has one owner.

package import RealmStorage

/// Counts the embedded objects that a walk comes to, and ends the walk if they cannot be true.
///
/// An embedded object has one owner. In a damaged or hostile file a few of them may each hold the
/// next one in several properties, or hold themselves: who follows them comes to more than any file
/// has. A link to each of many objects takes a byte at least, so a walk that comes to each a few
/// times is far below the limit.
package final class OwnedVisits {
  /// How many objects may be embedded in each other: as many as the stack of a thread has room for,
  /// and as other devices take.
  package static let depthMax = 256
  /// The bytes of strings that count as one object: what a walk reads is a few times what there is.
  private static let bytesForOne = 8
  private let nodeByteCount: () -> Int
  private let depthMax: Int
  private let repeatCount: Int
  /// The objects so far, with as many elements as take a byte.
  package private(set) var count = 0
  private var countMax: Int
  /// The objects around what the walk is at.
  package private(set) var depth = 0

  /// - Parameters:
  ///   - nodeByteCount: The bytes of what the walk reads, which may grow between objects that are
  ///     not embedded.
  ///   - depthMax: How many objects may be embedded in each other.
  ///   - repeatCount: How often the walk may come to each of as many objects as there are bytes.
  package init(
    in nodeByteCount: @escaping () -> Int, depthMax: Int = OwnedVisits.depthMax,
    repeatCount: Int = 4
  ) {
    self.nodeByteCount = nodeByteCount
    self.depthMax = depthMax
    self.repeatCount = repeatCount
    countMax = nodeByteCount() * repeatCount
  }

  /// Notes that the walk comes to an embedded object, and follows what it holds.
  ///
  /// Once it throws, it throws for all objects.
  ///
  /// - Parameter name: What the walk comes to, for the message.
  package func enter(_ name: StaticString = "embedded objects") throws(StorageError) {
    if depth >= depthMax { count = .max }
    if depth == 0 { countMax = nodeByteCount() * repeatCount }
    try note(name)
    depth += 1
  }

  /// Notes that the walk comes to an embedded object; for walks without a stack.
  package func note(_ name: StaticString = "embedded objects") throws(StorageError) {
    guard count < countMax else { throw .corrupted("\(name) do not end") }
    count += 1
  }

  /// Notes that the walk has come to the elements of a collection; outside of what it has entered,
  /// they do not count. Many take a byte: a leaf without bits is a header.
  package func note(elementCount: Int) {
    guard depth > 0, count < countMax else { return }
    let perByte = BTreeLimits.entryCount / NodeHeader.byteCount
    count += (elementCount + perByte - 1) / perByte
  }

  /// Notes that the walk has read strings; outside of what it has entered, they do not count.
  package func note(byteCount: Int) {
    guard depth > 0, count < countMax else { return }
    count += byteCount / Self.bytesForOne
  }

  /// Notes that the walk comes back from an embedded object.
  package func leave() { depth -= 1 }
}
