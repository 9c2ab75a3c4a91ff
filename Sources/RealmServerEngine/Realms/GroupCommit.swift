// SPDX-License-Identifier: Apache-2.0

// The size of a transaction.

/// The limits of one transaction.
package struct GroupCommit: Hashable, Sendable {
  package var entryCountMax: Int
  package var byteCountMax: Int

  package init(entryCountMax: Int = 1000, byteCountMax: Int = 4 << 20) {
    self.entryCountMax = entryCountMax
    self.byteCountMax = byteCountMax
  }

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
