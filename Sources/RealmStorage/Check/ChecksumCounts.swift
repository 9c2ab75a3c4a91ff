// SPDX-License-Identifier: Apache-2.0

// How many nodes of a version have checksums.

/// The nodes of a version by what their checksums say.
package struct ChecksumCounts: Hashable, Sendable {
  /// The nodes whose bytes are those that were written.
  package var verified = 0
  /// The nodes without a checksum: other implementations wrote them, or older versions of this one.
  package var missing = 0

  package init() {}
}
