// SPDX-License-Identifier: Apache-2.0

// The changesets of an UPLOAD, and the fields of entries in bodies.

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
