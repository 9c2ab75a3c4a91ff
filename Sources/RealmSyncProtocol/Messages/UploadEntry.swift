// SPDX-License-Identifier: Apache-2.0

// The changesets of an UPLOAD.

package import RealmFormats

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

extension UploadEntry {
  /// What precedes the changeset in a message.
  private func header(_ byteCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(
      fields: [
        clientVersion, serverVersion, timestamp.milliseconds, file.rawValue, UInt64(byteCount),
      ])
    return bytes
  }

  /// Adds the entry to a plain body.
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes += header(changeset.count)
    bytes += changeset
  }

  /// Adds the entry, whose changeset is as the file has it.
  fileprivate func append(to joiner: inout ZlibJoiner) throws(CompressionError) {
    let size = try StoredChangesetFraming.size(changeset)
    joiner.append(header(size))
    if let data = StoredChangesetFraming.joinable(changeset) {
      joiner.append(compressed: data, byteCount: size)
    } else {
      joiner.append(try StoredChangesetFraming.decode(changeset))
    }
  }
}

extension MessageBody {
  package init(uploads entries: [UploadEntry]) {
    var bytes: [UInt8] = []
    for entry in entries { entry.append(to: &bytes) }
    self.init(plain: bytes)
  }

  /// A body of entries whose changesets are as the file has them (`StoredChangesetFraming`).
  ///
  /// A changeset compressed at its commit is in the message as it is in the file, and is
  /// decompressed by the server alone.
  package init(stored entries: [UploadEntry]) throws(CompressionError) {
    guard entries.contains(where: { StoredChangesetFraming.joinable($0.changeset) != nil }) else {
      try self.init(uploads: Self.plain(entries))
      return
    }
    var joiner = ZlibJoiner()
    for entry in entries { try entry.append(to: &joiner) }
    let bytes = joiner.finish()
    guard bytes.count < joiner.byteCount else {
      try self.init(uploads: Self.plain(entries))
      return
    }
    self.init(received: bytes, uncompressedByteCount: joiner.byteCount, isCompressed: true)
  }

  private static func plain(_ entries: [UploadEntry]) throws(CompressionError) -> [UploadEntry] {
    var entries = entries
    for index in entries.indices {
      entries[index].changeset = try StoredChangesetFraming.decode(entries[index].changeset)
    }
    return entries
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
