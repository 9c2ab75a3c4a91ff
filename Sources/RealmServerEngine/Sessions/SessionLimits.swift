// SPDX-License-Identifier: Apache-2.0

// The sizes of what sessions send.

/// The limits of a session's messages.
package struct SessionLimits: Hashable, Sendable {
  /// A DOWNLOAD in partition mode takes no further entry once it has so many bytes.
  package var downloadByteCount: Int
  /// A part of a bootstrap or of a large round takes no further entry once it has so many bytes.
  package var bootstrapByteCount: Int
  /// A round in flexible mode that is larger is sent as a bootstrap of the active query, from
  /// protocol 14 on.
  package var roundByteCount: Int

  package init(
    downloadByteCount: Int = 128 << 10, bootstrapByteCount: Int = 1 << 20,
    roundByteCount: Int = 4 << 20
  ) {
    self.downloadByteCount = downloadByteCount
    self.bootstrapByteCount = bootstrapByteCount
    self.roundByteCount = roundByteCount
  }
}
