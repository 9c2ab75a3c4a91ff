// SPDX-License-Identifier: Apache-2.0

// The progress of a download or an upload.

/// The bytes of a transfer so far, and in all.
struct TransferProgress: Hashable, Sendable {
  var transferred: Int
  var transferable: Int
  /// The part that is transferred: 0 for nothing, 1 for all.
  var estimate: Double
}
