// SPDX-License-Identifier: Apache-2.0

// How large the changes of one version may be (P1 C.2).
//
// A version of a file is uploaded as one changeset: it has one number, which the server
// acknowledges, and is integrated as a whole. So it cannot be divided when it is there, and a
// message has a limit. A transaction above it is refused when it is committed.

/// What one changeset of a client may have at most, so that an UPLOAD can carry it.
package struct UploadLimit: Hashable, Sendable {
  /// The bytes of the changeset.
  package var byteCount: Int
  /// The instructions, and the elements of their paths.
  package var instructionCount: Int

  package init(byteCount: Int, instructionCount: Int) {
    self.byteCount = byteCount
    self.instructionCount = instructionCount
  }

  /// The largest body of an UPLOAD, uncompressed.
  package static let bodyByteCountMax = 16 << 20
  /// More than the numbers before a changeset in a message take.
  private static let headerByteCountMax = 128

  /// What every server takes: the body of a message has 16 MiB. The server's own limit of
  /// instructions is a little higher, as short changesets may be in the same message.
  package static let standard = UploadLimit(
    byteCount: bodyByteCountMax - headerByteCountMax, instructionCount: 1_400_000)

  /// What is wrong with a changeset, and the remedy; nil if it can be uploaded.
  ///
  /// - Parameter elementCount: The number of elements of all paths.
  package func excess(byteCount: Int, instructionCount: Int, elementCount: Int) -> String? {
    let remedy =
      "No server takes it: write less in one transaction, and divide a large one into several."
    if byteCount > self.byteCount {
      return "The changes of a transaction of a synchronised Realm are limited to "
        + "\(self.byteCount) bytes, and these have \(byteCount). \(remedy)"
    }
    let count = max(instructionCount, elementCount)
    guard count > self.instructionCount else { return nil }
    return "A transaction of a synchronised Realm is limited to \(self.instructionCount) changes "
      + "of objects, values and steps to them, and this one has \(count). \(remedy)"
  }
}
