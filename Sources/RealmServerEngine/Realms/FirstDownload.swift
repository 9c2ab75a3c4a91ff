// SPDX-License-Identifier: Apache-2.0

// The state of a realm for a client behind the trimmed history (P4 A.6).
//
// Invariants:
// 1. Each part has a version of its own, without any other change. It erases the client's objects
//    of the part, and makes them as they are in the snapshot.
// 2. The erasures of a part are a private change of its version. The client's earlier uploads are
//    merged with it, as the client merges them.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The parts of a first download, written while they are sent.
struct FirstDownload {
  let snapshot: RealmSnapshot
  private let timestamp: OriginTimestamp
  private let clientVersion: UInt64
  /// A part ends with the object at which it is this large.
  private let partByteCount: Int
  /// The erasures of objects that are gone, possibly still at the client.
  private let goneParts: [PrivatePart]
  private var selection = ObjectSelection()
  /// The numbers of the objects of each part.
  private var parts: [Int] = []
  private var nextPart = 0
  /// The objects of the parts that were not taken.
  private var objects = ObjectSelection.Iterator(ObjectSelection())

  /// - Parameter clientVersion: The newest client version in the snapshot.
  init(
    of snapshot: RealmSnapshot, gone: [ObjectIdentity], clientVersion: UInt64,
    timestamp: OriginTimestamp, partByteCount: Int
  ) throws(StorageError) {
    self.snapshot = snapshot
    goneParts = PrivatePart.parts(erasing: gone)
    self.clientVersion = clientVersion
    self.timestamp = timestamp
    self.partByteCount = partByteCount
    try divide()
  }

  /// Collects the objects, and finds where parts end.
  private mutating func divide() throws(StorageError) {
    for key in try snapshot.objects.tableKeys() {
      guard let schema = try snapshot.objects.schema(of: key), schema.className != nil,
        schema.kind == .topLevel, let table = try snapshot.objects.table(key)
      else { continue }
      try selection.addAll(of: table)
    }
    objects = ObjectSelection.Iterator(selection)
    var writer = ObjectStateWriter(snapshot.objects, file: .server)
    try writer.appendSchema()
    var rest = objects
    var count = 0
    while let (table, object) = try rest.next(in: snapshot.objects) {
      count += 1
      try writer.appendErasure(of: object, in: table.key)
      try writer.append(object, in: table.key)
      guard writer.byteCount >= partByteCount else { continue }
      _ = writer.take()
      parts.append(count)
      count = 0
    }
    if count > 0 || parts.isEmpty { parts.append(count) }
  }

  // MARK: Versions

  /// The version of a part. Parts of erased objects come before.
  private func version(of part: Int) -> UInt64 {
    assert(parts.indices.contains(part), "`FirstDownload` 1: the version of no part")
    return snapshot.head.version + UInt64(goneParts.count + part) + 1
  }

  var lastVersion: UInt64 { version(of: parts.count - 1) }

  /// The position after the taken parts.
  var cursor: DownloadCursor {
    DownloadCursor(
      serverVersion: nextPart == 0 ? snapshot.head.version : version(of: nextPart - 1),
      clientVersion: clientVersion)
  }

  /// Whether a client at a position has received exactly the taken parts.
  func continues(_ position: DownloadCursor) -> Bool {
    nextPart == 0 ? position == DownloadCursor() : position == cursor
  }

  var isComplete: Bool { nextPart == parts.count }

  /// The sizes of the remaining parts, about.
  var remainingByteCount: Int { (parts.count - nextPart) * partByteCount }

  /// The objects for the client to drop.
  func privates(of file: FileIdentifier) throws(StorageError) -> [PrivateChange] {
    var changes: [PrivateChange] = []
    func add(_ part: PrivatePart, _ version: UInt64) {
      guard !part.objects.isEmpty else { return }
      changes.append(
        PrivateChange(
          file: file, version: version, timestamp: timestamp, changeset: part.changeset))
    }
    for (number, part) in goneParts.enumerated() {
      add(part, snapshot.head.version + UInt64(number) + 1)
    }
    var rest = ObjectSelection.Iterator(selection)
    for (number, count) in parts.enumerated() {
      var identities: [ObjectIdentity] = []
      for _ in 0..<count {
        if let (table, key) = try rest.next(in: snapshot.objects),
          let identity = try table.identity(of: key)
        {
          identities.append(identity)
        }
      }
      add(PrivatePart(erasing: identities), version(of: number))
    }
    return changes
  }

  // MARK: Entries

  /// Takes the next parts, until they have `byteLimit` bytes.
  mutating func takeEntries(byteLimit: Int) throws(StorageError) -> [DownloadEntry] {
    var entries: [DownloadEntry] = []
    var byteCount = 0
    if nextPart == 0 {
      for (number, part) in goneParts.enumerated() {
        var writer = ObjectStateWriter(snapshot.objects, file: .server)
        // A new client has no classes, and could not erase objects without them.
        if number == 0 { try writer.appendSchema() }
        for object in part.objects {
          writer.appendErasure { encoder in encoder.reference(to: object) }
        }
        entries.append(entry(writer.take(), snapshot.head.version + UInt64(number) + 1))
      }
    }
    while !isComplete, byteCount < byteLimit {
      let part = nextPart
      var writer = ObjectStateWriter(snapshot.objects, file: .server)
      if part == 0, goneParts.isEmpty { try writer.appendSchema() }
      for _ in 0..<parts[part] {
        guard let (table, key) = try objects.next(in: snapshot.objects) else { break }
        try writer.appendErasure(of: key, in: table.key)
        try writer.append(key, in: table.key)
      }
      let bytes = writer.take()
      entries.append(entry(bytes, version(of: part)))
      byteCount += bytes.count
      nextPart += 1
    }
    return entries
  }

  private func entry(_ bytes: [UInt8], _ version: UInt64) -> DownloadEntry {
    let cursor = DownloadCursor(serverVersion: version, clientVersion: clientVersion)
    return DownloadEntry(ofServer: bytes, at: cursor, timestamp)
  }
}

/// The first downloads of a realm between their beginning and their end.
///
/// If there are many, the longest idle ones are forgotten: each keeps a version of the file. A
/// client without one gets the state from its beginning.
struct FirstDownloads {
  private static let countMax = 64

  /// In the order of their last use.
  private var downloads: [(file: FileIdentifier, download: FirstDownload)] = []

  /// Takes the download of a client; nil if there is none.
  mutating func take(_ file: FileIdentifier) -> FirstDownload? {
    guard let place = downloads.firstIndex(where: { $0.file == file }) else { return nil }
    return downloads.remove(at: place).download
  }

  mutating func keep(_ download: FirstDownload, for file: FileIdentifier) {
    downloads.append((file, download))
    if downloads.count > Self.countMax { downloads.removeFirst() }
  }
}
