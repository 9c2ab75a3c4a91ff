// SPDX-License-Identifier: Apache-2.0

// The sizes of what sessions send.

/// The limits of a session's messages.
package struct SessionLimits: Hashable, Sendable {
  /// A DOWNLOAD in partition mode takes no further entry once it has so many bytes.
  package var downloadByteCount: Int
  /// A message of a bootstrap takes no entry that would make it larger. A round in flexible mode
  /// that is larger is sent as a bootstrap of the active query, from protocol 14 on.
  package var bootstrapByteCount: Int

  package init(downloadByteCount: Int = 128 << 10, bootstrapByteCount: Int = 4 << 20) {
    self.downloadByteCount = downloadByteCount
    self.bootstrapByteCount = bootstrapByteCount
  }
}
