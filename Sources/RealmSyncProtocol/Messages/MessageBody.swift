// SPDX-License-Identifier: Apache-2.0

// The changesets of an UPLOAD or a DOWNLOAD, one by one and as one sequence of bytes.

package import RealmFormats

/// The body of a message with changesets, compressed or not.
///
/// It is decompressed when its entries are asked for, possibly elsewhere.
package struct MessageBody: Hashable, Sendable {
  /// The largest body for a server, uncompressed.
  package static let uploadByteCountMax = UploadLimit.bodyByteCountMax
  /// The largest body for a client, uncompressed.
  package static let downloadByteCountMax = 256 << 20
  /// Longer bodies are compressed if it makes them shorter.
  private static let plainByteCountMax = 1_024

  /// The bytes as the message has them.
  package let bytes: [UInt8]
  package let uncompressedByteCount: Int
  package let isCompressed: Bool

  package static let empty = MessageBody(plain: [])

  /// A body for sending.
  package init(plain: [UInt8]) {
    let compressed = plain.count > Self.plainByteCountMax ? Zlib.compress(plain) : plain
    isCompressed = compressed.count < plain.count
    bytes = isCompressed ? compressed : plain
    uncompressedByteCount = plain.count
  }

  init(received bytes: [UInt8], uncompressedByteCount: Int, isCompressed: Bool) {
    self.bytes = bytes
    self.uncompressedByteCount = uncompressedByteCount
    self.isCompressed = isCompressed
  }

  package var isEmpty: Bool { uncompressedByteCount == 0 }

  /// The bytes of the entries.
  package func plain(byteCountMax: Int) throws(MessageError) -> [UInt8] {
    guard uncompressedByteCount <= byteCountMax else { throw .badChangesetSize }
    guard isCompressed else { return bytes }
    do {
      return try Zlib.decompress(bytes, byteCount: uncompressedByteCount)
    } catch {
      throw .badDecompression(error)
    }
  }
}

/// A position in the uncompressed body of a message.
struct EntryReader {
  private let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// A number and the space after it.
  mutating func number() throws(MessageError) -> UInt64 {
    let rest = bytes[position...]
    guard let count = rest.prefix(20).firstIndex(of: UInt8(ascii: " ")).map({ $0 - position }),
      let number = rest.prefix(count).decimal
    else { throw .badChangesetHeader }
    position += count + 1
    return number
  }

  /// A size, a space, and as many bytes.
  mutating func changeset() throws(MessageError) -> [UInt8] {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw .badChangesetHeader }
    defer { position += Int(count) }
    return Array(bytes[position..<position + Int(count)])
  }
}

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

  /// What precedes the changeset in a message.
  private func header(_ byteCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(
      fields: [
        clientVersion, serverVersion, timestamp.milliseconds, file.rawValue, UInt64(byteCount),
      ])
    return bytes
  }

  /// The bytes of the entry in a plain body.
  ///
  /// - Parameter byteCount: Those of its changeset.
  package func byteCount(withChangesetOf byteCount: Int) -> Int {
    header(byteCount).count + byteCount
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

/// A changeset of the server's history on its way to a client.
package struct DownloadEntry: Hashable, Sendable {
  package var serverVersion: UInt64
  /// The last version of the receiver in the server version.
  package var clientVersion: UInt64
  package var timestamp: OriginTimestamp
  package var file: FileIdentifier
  /// The size of the changeset before it was merged, for statistics.
  package var originalByteCount: UInt64
  package var changeset: [UInt8]

  /// A changeset that the server makes itself.
  package init(ofServer changeset: [UInt8], at cursor: DownloadCursor, _ timestamp: OriginTimestamp)
  {
    self.init(
      serverVersion: cursor.serverVersion, clientVersion: cursor.clientVersion,
      timestamp: timestamp, file: .server, originalByteCount: UInt64(changeset.count),
      changeset: changeset)
  }

  package init(
    serverVersion: UInt64, clientVersion: UInt64, timestamp: OriginTimestamp,
    file: FileIdentifier, originalByteCount: UInt64, changeset: [UInt8]
  ) {
    self.serverVersion = serverVersion
    self.clientVersion = clientVersion
    self.timestamp = timestamp
    self.file = file
    self.originalByteCount = originalByteCount
    self.changeset = changeset
  }
}

/// Changes of a server's history for a client, and how far they take both sides.
package struct DownloadBatch: Hashable, Sendable {
  package var entries: [DownloadEntry]
  package var cursors: SyncCursors
  /// What is left after it, as a client's file has it: bytes, or in flexible mode the estimate of
  /// progress times 10,000.
  package var remaining: Int

  package init(entries: [DownloadEntry] = [], cursors: SyncCursors, remaining: Int = 0) {
    self.entries = entries
    self.cursors = cursors
    self.remaining = remaining
  }
}

extension Collection where Element == DownloadEntry {
  /// The sizes of all changesets.
  package var byteCount: Int { reduce(0) { $0 + $1.changeset.count } }
}

extension MessageBody {
  package init(downloads entries: [DownloadEntry]) {
    var bytes: [UInt8] = []
    for entry in entries {
      bytes.append(
        fields: [
          entry.serverVersion, entry.clientVersion, entry.timestamp.milliseconds,
          entry.file.rawValue, entry.originalByteCount, UInt64(entry.changeset.count),
        ])
      bytes += entry.changeset
    }
    self.init(plain: bytes)
  }

  /// The changesets of a DOWNLOAD.
  package func downloadEntries(
    byteCountMax: Int = downloadByteCountMax
  ) throws(MessageError) -> [DownloadEntry] {
    var reader = EntryReader(bytes: try plain(byteCountMax: byteCountMax))
    var entries: [DownloadEntry] = []
    while !reader.isAtEnd {
      entries.append(
        DownloadEntry(
          serverVersion: try reader.number(), clientVersion: try reader.number(),
          timestamp: OriginTimestamp(milliseconds: try reader.number()),
          file: FileIdentifier(try reader.number()), originalByteCount: try reader.number(),
          changeset: try reader.changeset()))
    }
    return entries
  }
}
