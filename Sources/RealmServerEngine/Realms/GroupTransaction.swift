// SPDX-License-Identifier: Apache-2.0

// A transaction of uploads: each is merged and carried out, one after the other.
//
// A misfit is undone alone: its writes by a savepoint, its part of the history by the state before.
//
// Invariants:
// 1. An upload is stored whole or not at all, its declarations and refused writes included.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Integrates uploads in a transaction, and makes the stored batch of them.
struct GroupTransaction {
  /// Why an upload is not carried out as it is.
  private enum Obstacle: Error {
    case refusal(SessionRefusal)
    case writes(RefusedWrites)
  }

  /// What an upload became.
  private enum End {
    case stored
    case refused(SessionRefusal)
    /// Some of its writes have to be left out first.
    case writes(RefusedWrites)
    case beginsTransaction
  }

  private let group: WriteGroup
  private let now: OriginTimestamp
  private let salts: SaltSource
  private let schema: SchemaKeeper?
  private var collector: TouchCollector?
  private var totalByteCount: Int
  private var batch = Batch()
  private var integration: Integration
  /// The positions of the uploads carried out, and their files.
  private var stored: [Int] = []
  private var changedFiles: Set<FileIdentifier> = []

  init(
    _ group: WriteGroup, _ integration: Integration, after head: RealmHead,
    _ settings: ServerRealm.Settings, _ salts: SaltSource, now: OriginTimestamp
  ) {
    self.group = group
    self.integration = integration
    self.salts = salts
    self.now = now
    schema = settings.schema
    collector = settings.keepsTouches ? TouchCollector(group) : nil
    totalByteCount = head.totalByteCount
  }

  /// Integrates open uploads, up to one for another transaction. Refusals are noted in the group.
  ///
  /// - Parameter limit: The position at which the transaction ends in any case.
  /// - Returns: The upload of which writes have to be left out, and these, if it ended for them.
  mutating func integrate(
    _ uploads: inout UploadGroup, before limit: Int
  ) throws(StorageError) -> (number: Int, writes: RefusedWrites)? {
    for number in uploads.openNumbers where number < limit {
      guard uploads[number].isOpen else { continue }
      switch try integrate(&uploads[number]) {
      case .stored:
        stored.append(number)
        changedFiles.insert(uploads[number].upload.file)
        // Later uploads of the client are merged with the compensation.
        if integration.entries.last?.compensation != nil, uploads.isFollowed(number) { return nil }
      case .refused(let refusal): uploads.refuse(number, refusal)
      case .writes(let writes): return (number, writes)
      case .beginsTransaction:
        assert(!stored.isEmpty, "an upload waits for a transaction that it has")
        return nil
      }
    }
    return nil
  }

  /// The clients' files afterwards, by the positions of the uploads carried out.
  func storedFiles(of uploads: UploadGroup) -> [Int: ClientFile] {
    var files: [Int: ClientFile] = [:]
    for number in stored { files[number] = integration.files[uploads[number].upload.file]?.file }
    assert(files.count == stored.count, "`GroupTransaction` 1: an upload of no file is stored")
    return files
  }

  /// Losses of the uploads carried out, as their clients were not sent the history.
  var losses: [RealmLoss] {
    integration.dropped.map { .instructions(of: $0.file, count: $0.count, through: $0.through) }
  }

  /// The batch to store; nil if there is nothing.
  mutating func finish() -> Batch? {
    guard !stored.isEmpty else { return nil }
    for ident in changedFiles.sorted() {
      guard let state = integration.files[ident] else { continue }
      batch.files.append(state.file)
      let changes = state.changes
      batch.reciprocals += changes.reciprocals
      batch.privates += changes.privates
    }
    return batch
  }

  // MARK: An upload

  private mutating func integrate(_ attempt: inout UploadAttempt) throws(StorageError) -> End {
    let mark = integration.mark(before: attempt.upload)
    let (entryCount, privateCount, byteCount) = (
      batch.entries.count, batch.privates.count, totalByteCount
    )
    while true {
      do throws(MergeStop) {
        try integration.add(attempt, now: now)
      } catch {
        switch error {
        case .refused(let refusal): return .refused(refusal)
        case .beginsTransaction: return .beginsTransaction
        case .failed(let error): throw error
        }
      }
      let entries = integration.entries(since: mark)
      let result = try group.attempt { () throws(StorageError) -> Result<Void, Obstacle> in
        try carryOut(entries, of: attempt.upload)
      }
      guard case .failure(let obstacle) = result else { return .stored }
      integration.goBack(to: mark)
      batch.entries.removeLast(batch.entries.count - entryCount)
      batch.privates.removeLast(batch.privates.count - privateCount)
      totalByteCount = byteCount
      switch obstacle {
      case .writes(let writes): return .writes(writes)
      case .refusal(let refusal):
        guard attempt.declarations == nil, refusal.code == .badChangeset,
          let missing = try missingDeclarations(of: attempt)
        else { return .refused(refusal) }
        attempt.declarations = missing
      }
    }
  }

  /// Classes of the app's schema, named by an upload, as far as the realm lacks them.
  private func missingDeclarations(of attempt: UploadAttempt) throws(StorageError) -> Changeset? {
    guard let schema = schema?.schema, let file = integration.files[attempt.upload.file]?.file
    else { return nil }
    return try schema.declarations(for: attempt.newEntries(file), missingIn: group)
  }

  /// Carries out the merged entries of an upload.
  private mutating func carryOut(
    _ entries: ArraySlice<MergedEntry>, of upload: Upload
  ) throws(StorageError) -> Result<Void, Obstacle> {
    var applier = InstructionApplier(group, file: .server, limits: ApplyLimits())
    var check = upload.rules.map { WriteCheck($0, in: group) }
    var review = SchemaReview(schema)
    for entry in entries {
      if let refusal = try carryOut(entry, &applier, &check, &review) {
        return .failure(.refusal(refusal))
      }
    }
    if let refused = check?.refused, !refused.isEmpty { return .failure(.writes(refused)) }
    if let refusal = try review.finish() { return .failure(.refusal(refusal)) }
    return .success(())
  }

  /// Returns why the upload is refused; nil if it is not, as far as is known by now.
  private mutating func carryOut(
    _ entry: MergedEntry, _ applier: inout InstructionApplier, _ check: inout WriteCheck?,
    _ review: inout SchemaReview
  ) throws(StorageError) -> SessionRefusal? {
    if entry.declares, let refusal = try review.add(entry.changeset, in: group) { return refusal }
    try collector?.begin(entry.changeset)
    try check?.begin(entry.changeset, version: entry.clientVersion)
    if let refusal = check?.refusal { return refusal }
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
    if let refusal = check?.refusal { return refusal }
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
