// SPDX-License-Identifier: Apache-2.0

// How much goes into one transaction.

/// The most entries and bytes of uploads in one transaction.
package struct GroupCommit: Hashable, Sendable {
  package var entryCountMax = 1000
  package var byteCountMax = 4 << 20

  /// The number of uploads for one transaction: those within the limits, and one in any case.
  package func count(of uploads: [Upload]) -> Int {
    var (entries, bytes) = (0, 0)
    for (index, upload) in uploads.enumerated() {
      entries += upload.entries.count
      bytes += upload.byteCount
      if index > 0, entries > entryCountMax || bytes > byteCountMax { return index }
    }
    return uploads.count
  }
}
