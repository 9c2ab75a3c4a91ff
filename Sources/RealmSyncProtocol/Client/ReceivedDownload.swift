// SPDX-License-Identifier: Apache-2.0

// A DOWNLOAD on its way into a file.

/// A DOWNLOAD whose header a session has accepted, with what its entries are checked against.
///
/// Decompressing and reading the entries is left to the file that integrates them.
package struct ReceivedDownload: Hashable, Sendable {
  package var download: ServerMessage.Download
  /// The file that the entries must not be from.
  package var receiver: FileIdentifier
  /// The server version that the file has already.
  package var previousVersion: UInt64

  package init(
    download: ServerMessage.Download, receiver: FileIdentifier, previousVersion: UInt64
  ) {
    self.download = download
    self.receiver = receiver
    self.previousVersion = previousVersion
  }

  /// The entries, which keep the rules of P1 C.4.
  package func entries() throws(StoreFailure) -> [DownloadEntry] {
    let entries: [DownloadEntry]
    do {
      entries = try download.body.downloadEntries()
    } catch {
      let code: ErrorCode =
        error == .badChangesetSize ? ErrorCode(.badChangesetSize) : ErrorCode(.badChangeset)
      throw StoreFailure(code: code, message: "Bad body of a DOWNLOAD: \(error)")
    }
    let limit = download.cursors.download
    var (server, client) = (previousVersion, 0 as UInt64)
    for entry in entries {
      // The entries of a bootstrap share a version, which may be that of the cursor.
      let isNewer =
        switch download.progress {
        case .partition: entry.serverVersion > server
        case .flexible: entry.serverVersion >= server
        }
      guard entry.serverVersion > 0, isNewer, entry.serverVersion <= limit.serverVersion,
        entry.clientVersion >= client, entry.clientVersion <= limit.clientVersion
      else { throw .badProgress("Bad versions of a changeset: \(entry.serverVersion)") }
      guard entry.file != .own, entry.file != receiver else {
        throw .badProgress("Bad origin file of a changeset: \(entry.file.rawValue)")
      }
      (server, client) = (entry.serverVersion, entry.clientVersion)
    }
    return entries
  }
}
