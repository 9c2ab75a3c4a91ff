// SPDX-License-Identifier: Apache-2.0

// The integration of uploads, and the queue of those that wait for it.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension ServerRealm {
  /// Integrates an upload, together with others that wait.
  ///
  /// A small one is read here, by its session; the thread of the realm has more to do.
  nonisolated(nonsending)
    package func integrate(_ upload: Upload) async -> UploadOutcome
  {
    var attempt = UploadAttempt(upload)
    if upload.byteCount <= UploadAttempt.earlyByteCountMax { attempt.read() }
    return await enqueue(attempt)
  }

  private func enqueue(_ attempt: UploadAttempt) async -> UploadOutcome {
    await withCheckedContinuation { waiter in
      queue.append(attempt, waiter)
      guard !isDraining else { return }
      isDraining = true
      Task { await drain() }
    }
  }

  private func drain() async {
    while !queue.isEmpty {
      // Uploads that arrived while the thread was busy get into the group.
      await Task.yield()
      let group = queue.takeGroup(settings.groups)
      let outcomes = await integrate(group.attempts)
      for (waiter, outcome) in zip(group.waiters, outcomes) { waiter.resume(returning: outcome) }
    }
    isDraining = false
  }

  /// Integrates uploads. Those that cannot be integrated are left out, and so are later ones of
  /// their files.
  func integrate(_ attempts: [UploadAttempt]) async -> [UploadOutcome] {
    var group = UploadGroup(attempts)
    for number in attempts.indices { group[number].read() }
    do throws(StoreError) {
      try await beginFirstDownloads(of: attempts.map(\.upload))
      await beginAppending()
      defer { endAppending() }
      while group.isOpen { try await integrateReadable(&group) }
      // What a former owner does not know refuses no client (`ServerRealm+LookUp` 1).
      if group.hasRefusals { _ = try await confirmedHead() }
    } catch {
      window = nil
      if error == .fenced { loseOwnership() }
      for number in attempts.indices { group[number].fail(error) }
    }
    return group.attempts.map { $0.outcome ?? .failed(.unknownFile($0.upload.file)) }
  }

  /// Integrates uploads in a transaction, or leaves out versions that cannot be read if there are
  /// any.
  private func integrateReadable(_ group: inout UploadGroup) async throws(StoreError) {
    do throws(StoreError) {
      try await integrateNext(of: &group)
    } catch {
      guard case .unreadableEntry(let version, let reason) = error, version > head.base else {
        throw error
      }
      try await skip(through: version, because: reason)
    }
  }

  /// Integrates as many uploads as one transaction can have. Afterwards fewer are open, or one of
  /// them has fewer writes.
  private func integrateNext(of group: inout UploadGroup) async throws(StoreError) {
    let base = try await mergeBase(for: &group)
    var limit = group.count
    if let (number, writes) = group.hiddenWrites(base) {
      // With an older upload of the file these writes may be others.
      guard group.openNumbers.first != number else {
        return try await leaveOut(writes, of: number, in: &group)
      }
      limit = number
    }
    let integration = Integration(base, transformer: transformer, schema: settings.schema)
    var uploads = group
    var stored: [Int: ClientFile] = [:]
    var losses: [RealmLoss] = []
    var refused: (number: Int, writes: RefusedWrites)?
    try await append { (write) throws(StorageError) in
      var transaction = GroupTransaction(
        write, integration, after: self.head, self.settings, self.salts, now: self.clock.now())
      refused = try transaction.integrate(&uploads, before: limit)
      (stored, losses) = (transaction.storedFiles(of: uploads), transaction.losses)
      return transaction.finish()
    }
    base.history.removeOld()
    group = uploads
    for loss in losses { report(loss) }
    for (number, file) in stored { group[number].end(.integrated(file, head)) }
    if let (number, writes) = refused { try await leaveOut(writes, of: number, in: &group) }
  }

  /// Leaves writes that its user may not make out of the next try of an upload, or refuses it if
  /// they cannot be undone.
  private func leaveOut(
    _ writes: RefusedWrites, of number: Int, in group: inout UploadGroup
  ) async throws(StoreError) {
    let isNew = group[number].leaveOut(writes)
    let upload = group[number].upload
    guard upload.rules?.isCompensated ?? true,
      try await readersRight(upload.file) == .compensated
    else { return group.refuse(number, Compensation.roleRefusal) }
    assert(isNew, "a change that was taken out is refused again")
    if !isNew { group.refuse(number, Compensation.roleRefusal) }
  }
}
