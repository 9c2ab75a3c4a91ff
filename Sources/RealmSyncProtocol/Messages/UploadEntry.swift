// SPDX-License-Identifier: Apache-2.0

// A changeset in an UPLOAD.

/// A changeset of a client on its way to the server.
package struct UploadEntry: Hashable, Sendable {
  package var clientVersion: UInt64
  /// The last integrated server version when the change was made.
  package var serverVersion: UInt64
  package var timestamp: OriginTimestamp
  /// `FileIdentifier.own`: the file of the session.
  package var file: FileIdentifier
  package var changeset: [UInt8]

  package init(
    clientVersion: UInt64, serverVersion: UInt64, timestamp: OriginTimestamp,
    file: FileIdentifier = .own, changeset: [UInt8]
  ) {
    self.clientVersion = clientVersion
    self.serverVersion = serverVersion
    self.timestamp = timestamp
    self.file = file
    self.changeset = changeset
  }
}

extension MessageBody {
  package init(uploads entries: [UploadEntry]) {
    var bytes: [UInt8] = []
    for entry in entries {
      bytes.append(
        fields: [
          entry.clientVersion, entry.serverVersion, entry.timestamp.milliseconds,
          entry.file.rawValue, UInt64(entry.changeset.count),
        ])
      bytes += entry.changeset
    }
    self.init(plain: bytes)
  }

  /// The changesets of an UPLOAD.
  package func uploadEntries(
    byteCountMax: Int = uploadByteCountMax
  ) throws(MessageError) -> [UploadEntry] {
    var reader = EntryReader(bytes: try plain(byteCountMax: byteCountMax))
    var entries: [UploadEntry] = []
    while !reader.isAtEnd {
      entries.append(
        UploadEntry(
          clientVersion: try reader.number(), serverVersion: try reader.number(),
          timestamp: OriginTimestamp(milliseconds: try reader.number()),
          file: FileIdentifier(try reader.number()), changeset: try reader.changeset()))
    }
    return entries
  }
}
