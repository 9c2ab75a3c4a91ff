// SPDX-License-Identifier: Apache-2.0

// Bootstraps whose entries a test reads.

package import RealmServerEngine
package import RealmSyncProtocol

extension Bootstrap {
  /// All entries that are left.
  package func allEntries() throws -> [DownloadEntry] {
    var rest = self
    return try rest.takeEntries(byteLimit: .max)
  }

  /// All of it in one message.
  package func batch() throws -> DownloadBatch {
    DownloadBatch(entries: try allEntries(), cursors: cursors)
  }
}
