// SPDX-License-Identifier: Apache-2.0

// Random transactions on a synchronised file, and what they must leave.

import RealmTestSupport
import Testing

@testable import RealmStorage

/// The history of a synchronised file as arrays.
struct SyncModel: Equatable {
  private(set) var base: UInt64 = 1
  private(set) var entries: [SyncEntry] = []
  private(set) var progress = SyncProgress()
  private(set) var fileIdentifier = 0
  private(set) var fileSalt: Int64 = 0
  private(set) var numbers: [Int64] = []

  var version: UInt64 { base + UInt64(entries.count) }

  /// Does something random in `write`, and the same here; the transaction is not ended.
  mutating func change(
    _ write: WriteTransaction, using random: inout SeededGenerator
  ) throws {
    if random.chance(0.5) {
      numbers.append(Int64.random(in: .min ... .max, using: &random))
      try NumberTree.replace(with: numbers, in: write)
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) { try edit(write, &random) }
    try addEntry(write, &random)
  }

  private mutating func edit(
    _ write: WriteTransaction, _ random: inout SeededGenerator
  ) throws {
    let version = UInt64.random(in: base...self.version, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      try write.trimSyncHistory(through: version)
      trim(through: version)
    case 1:
      progress.download.clientVersion = max(progress.download.clientVersion, version)
      let progress = progress
      try write.updateSyncProgress { $0 = progress }
      try write.trimSyncHistory()
      var limit = max(base, progress.download.clientVersion)
      while limit < self.version, !isUploadable(limit + 1) { limit += 1 }
      trim(through: limit)
    case 2 where version > base:
      let bytes = random.chance(0.3) ? nil : Self.bytes(&random)
      try write.setSyncReciprocal(bytes, at: version)
      entries[Int(version - base) - 1].reciprocal = bytes
    case 3 where version > base:
      var entry = entries[Int(version - base) - 1]
      entry.changeset = Self.bytes(&random)
      entry.originTimestamp = Int64.random(in: -9...1 << 45, using: &random)
      let sizeChange = Int.random(in: -50...50, using: &random)
      try write.replaceSyncEntry(at: version, with: entry, sizeChange: sizeChange)
      entries[Int(version - base) - 1] = entry
      progress.uploadableByteCount = max(0, progress.uploadableByteCount + sizeChange)
    case 4:
      fileIdentifier = Int.random(in: 0...1 << 40, using: &random)
      fileSalt = Int64.random(in: 0...Int64.max, using: &random)
      try write.setFileIdentifier(fileIdentifier, salt: fileSalt)
    default:
      progress.latestServerVersion += 3
      progress.upload.clientVersion = version
      let progress = progress
      try write.updateSyncProgress { $0 = progress }
    }
  }

  private mutating func addEntry(
    _ write: WriteTransaction, _ random: inout SeededGenerator
  ) throws {
    var entry = SyncEntry()
    switch Int.random(in: 0..<4, using: &random) {
    case 0: break
    case 1:
      progress.download.serverVersion += UInt64.random(in: 0...1 << 20, using: &random)
      let progress = progress
      try write.updateSyncProgress { $0 = progress }
      entry.originFile = Int.random(in: 1...1 << 33, using: &random)
      entry.remoteVersion = progress.download.serverVersion
      entry.originTimestamp = Int64.random(in: 0...1 << 40, using: &random)
      write.syncEntry = entry
    default:
      entry.changeset = Self.bytes(&random)
      entry.originTimestamp = Int64.random(in: 0...1 << 40, using: &random)
      entry.reciprocal = random.chance(0.2) ? Self.bytes(&random) : nil
      write.syncEntry = entry
      write.syncEntryByteCount = entry.changeset.count * 2
      progress.uploadableByteCount += entry.changeset.count * 2
    }
    if entry.isLocal { entry.remoteVersion = progress.download.serverVersion }
    entries.append(entry)
  }

  private mutating func trim(through limit: UInt64) {
    let dropped = min(Int(max(limit, base) - base), entries.count)
    entries.removeFirst(dropped)
    base += UInt64(dropped)
  }

  private func isUploadable(_ version: UInt64) -> Bool {
    let entry = entries[Int(version - base) - 1]
    return entry.isLocal && !entry.changeset.isEmpty
  }

  /// Lengths at the edges of what a leaf holds in one blob.
  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    let lengths = [0, 0, 1, 63, 64, 65, 300, 2000]
    let count = lengths[Int.random(in: 0..<lengths.count, using: &random)]
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  // MARK: Reading

  /// What a snapshot has instead of this; nil if it has the same.
  func difference(from snapshot: Snapshot) throws -> String? {
    guard version > 1 else { return snapshot.topRef.isNull ? nil : "a version that is too new" }
    guard let history = try snapshot.syncHistory() else { return "no history" }
    guard snapshot.version == version, history.version == version, history.base == base else {
      return "base \(history.base) of \(history.version) instead of \(base) of \(version)"
    }
    if history.progress != progress { return "\(history.progress) instead of \(progress)" }
    let identifier = try snapshot.top().fileIdentifier
    guard identifier == fileIdentifier, history.fileSalt == fileSalt else {
      return "identifier \(identifier) instead of \(fileIdentifier)"
    }
    for (index, entry) in entries.enumerated() {
      let found = try history.entry(at: base + UInt64(index) + 1)
      if found != entry { return "entry \(index): \(found) instead of \(entry)" }
    }
    return try NumberTree.numbers(of: snapshot) == numbers ? nil : "other numbers"
  }

  /// What the bytes of a plain file say instead, without the engine.
  func difference(fromBytes bytes: [UInt8]) throws -> String? {
    let hand = try HandDecodedHistory(bytes)
    guard hand.topNumber(6) == Int(version), hand.topNumber(10) == fileIdentifier,
      hand.number(2) == Int(fileSalt), hand.number(5) == Int(progress.download.serverVersion),
      hand.number(7) == Int(progress.upload.clientVersion),
      hand.number(12) == progress.uploadableByteCount
    else { return "other numbers in the slots" }
    return hand.changesets == entries.map { $0.changeset }
      && hand.reciprocals == entries.map(\.reciprocal)
      && hand.remoteVersions == entries.map { Int64($0.remoteVersion) }
      && hand.originFiles == entries.map { Int64($0.originFile) }
      && hand.originTimestamps == entries.map(\.originTimestamp)
      && hand.local.count <= Int(version) ? nil : "other entries"
  }
}
