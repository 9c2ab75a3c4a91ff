// SPDX-License-Identifier: Apache-2.0

// The transaction of a group of uploads.
//
// Invariants:
// 1. Nothing of a transaction with refused writes is stored, not even its schema.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Carries out the merged entries of a group, and makes what is stored of them.
struct GroupTransaction {
  private let group: WriteGroup
  private let now: OriginTimestamp
  private let salts: SaltSource
  private var applier: InstructionApplier
  private var collector: TouchCollector?
  private var review: SchemaReview
  /// The check of the present upload; nil where its user may change everything.
  private var check: WriteCheck?
  /// The position of the present upload in the group.
  private var number: Int?
  private var totalByteCount: Int
  private var batch = Batch()

  init(
    _ group: WriteGroup, after head: RealmHead, _ settings: ServerRealm.Settings,
    _ salts: SaltSource, now: OriginTimestamp
  ) {
    self.group = group
    self.salts = salts
    self.now = now
    applier = InstructionApplier(group, file: .server, limits: ApplyLimits())
    collector = settings.keepsTouches ? TouchCollector(group) : nil
    review = SchemaReview(settings.schema)
    totalByteCount = head.totalByteCount
  }

  /// Carries out what the uploads of a group became.
  ///
  /// - Parameter files: The files of the clients afterwards.
  /// - Returns: What is stored; the first upload that does not fit otherwise.
  mutating func carryOut(
    _ entries: [MergedEntry], of uploads: UploadGroup, _ files: some Sequence<ClientHistory>
  ) throws(StorageError) -> Result<Batch, Misfit> {
    for entry in entries {
      if number != entry.upload {
        if hasRefusedWrites { break }
        begin(uploads[entry.upload].upload, at: entry.upload)
      }
      if let refusal = try carryOut(entry) {
        return .failure(Misfit(number: entry.upload, reason: .refusal(refusal)))
      }
    }
    if let number, let check, hasRefusedWrites {
      return .failure(Misfit(number: number, reason: .writes(check.refused)))
    }
    if let (number, refusal) = try review.finish() {
      return .failure(Misfit(number: number, reason: .refusal(refusal)))
    }
    for state in files.sorted(by: { $0.file.ident < $1.file.ident }) {
      batch.files.append(state.file)
      let changes = state.changes
      batch.reciprocals += changes.reciprocals
      batch.privates += changes.privates
    }
    return .success(batch)
  }

  private var hasRefusedWrites: Bool { check?.refused.isEmpty == false }

  private mutating func begin(_ upload: Upload, at number: Int) {
    self.number = number
    applier.renewWork()
    check = upload.rules.map { WriteCheck($0, in: group) }
  }

  /// Returns why the upload is refused; nil if it is not, as far as is known by now.
  private mutating func carryOut(
    _ entry: MergedEntry
  ) throws(StorageError) -> SessionRefusal? {
    if entry.declares,
      let refusal = try review.add(entry.changeset, of: entry.upload, in: group)
    {
      return refusal
    }
    try collector?.begin(entry.changeset)
    try check?.begin(entry.changeset, version: entry.clientVersion)
    do throws(ApplyError) {
      try applier.apply(entry.changeset)
    } catch {
      switch error {
      case .storage(let cause): throw cause
      case .badChangeset(let problem, let instruction):
        return SessionRefusal(problem, instruction: instruction)
      }
    }
    try check?.end()
    let origin = entry.changeset.origin
    if let compensation = entry.compensation {
      guard let change = try compensation.change(group, version: origin.version, timestamp: now)
      else { return compensation.refusal }
      batch.privates.append(change)
    }
    totalByteCount += entry.originalByteCount
    batch.entries.append(
      StoredEntry(
        version: origin.version, salt: salts.next(), file: origin.file,
        clientVersion: entry.clientVersion, timestamp: origin.timestamp, committed: now,
        originalByteCount: entry.originalByteCount, totalByteCount: totalByteCount,
        changeset: entry.bytes,
        touches: try collector?.end(made: entry.made, reduced: entry.reduced) ?? []))
    return nil
  }
}
