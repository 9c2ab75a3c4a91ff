// SPDX-License-Identifier: Apache-2.0

// Entries about a class `Thing`, with changesets that make its objects.

import RealmReplication
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables

/// Makes the entries of tests, and carries them out.
enum ThingEntries {
  static let now = OriginTimestamp(milliseconds: 77)

  /// The first version declares the class, each later one makes an object.
  static func entry(_ version: UInt64, salt: UInt64? = nil, touches: [Touch] = []) -> StoredEntry {
    let salt = salt ?? 1_000 + version
    return StoredEntry(
      version: version, salt: salt, file: FileIdentifier(2), clientVersion: 10 * version,
      timestamp: OriginTimestamp(milliseconds: 5), committed: now, originalByteCount: 3,
      totalByteCount: 3 * Int(version),
      changeset: version == 1 ? ChangesetText.schema() : ChangesetText.create(key(salt)),
      touches: touches)
  }

  /// The primary key of the object that a version makes.
  static func key(_ salt: UInt64) -> String { "thing \(salt)" }

  /// Carries the entries of a batch out, as the builder of an append does.
  static func carryOut(_ batch: Batch, in group: WriteGroup) throws(StorageError) -> Batch {
    var applier = InstructionApplier(group, file: .server, limits: ApplyLimits())
    for entry in batch.entries where !entry.changeset.isEmpty {
      do {
        try applier.apply(ChangesetParser.parse(entry.changeset, origin: entry.origin))
      } catch {
        throw .corrupted("\(error)")
      }
    }
    return batch
  }

  /// The keys of all things of a version, sorted.
  static func keys(in snapshot: RealmSnapshot) throws -> [String] {
    guard let table = try snapshot.objects.table(named: "class_Thing") else { return [] }
    var keys: [String] = []
    for position in 0..<(try table.objectCount()) {
      guard let key = try table.key(at: position),
        case .value(.string(let text))? = try table.identity(of: key)?.key
      else { continue }
      keys.append(text)
    }
    return keys.sorted()
  }
}

extension RealmStore {
  /// Appends a batch whose entries are those of `ThingEntries`.
  func append(
    _ batch: Batch, after version: UInt64, epoch: UInt64
  ) async throws(StoreError) -> RealmHead? {
    try await append(expecting: version, epoch: epoch) { (group) throws(StorageError) in
      try ThingEntries.carryOut(batch, in: group)
    }
  }

  /// Appends versions up to one.
  func fill(_ head: RealmHead, to version: UInt64) async throws -> RealmHead {
    let batch = Batch(entries: (head.version + 1...version).map { ThingEntries.entry($0) })
    return try await append(batch, after: head.version, epoch: head.epoch) ?? head
  }
}
