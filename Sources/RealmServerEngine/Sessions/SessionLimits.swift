// SPDX-License-Identifier: Apache-2.0

// The sizes of messages.

/// The limits of a session's messages.
package struct SessionLimits: Hashable, Sendable {
  /// A DOWNLOAD in partition mode takes no further entry once it has so many bytes.
  package var downloadByteCount: Int
  /// The largest message of a bootstrap. A larger round in flexible mode is sent as a bootstrap of
  /// the active query, from protocol 14 on.
  package var bootstrapByteCount: Int

  package init(downloadByteCount: Int = 128 << 10, bootstrapByteCount: Int = 4 << 20) {
    self.downloadByteCount = downloadByteCount
    self.bootstrapByteCount = bootstrapByteCount
  }
}
