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

  /// Integrates uploads in one transaction. Those that cannot be integrated are left out, and so
  /// are later ones of their files.
  func integrate(_ attempts: [UploadAttempt]) async -> [UploadOutcome] {
    var attempts = attempts
    for number in attempts.indices { attempts[number].read() }
    do throws(StoreError) {
      try await beginFirstDownloads(of: attempts.map(\.upload))
      await beginAppending()
      defer { endAppending() }
      let outcomes = try await integrateReadable(attempts)
      // What a former owner does not know refuses no client (`ServerRealm+LookUp` 1).
      let isRefused = outcomes.contains { if case .refused = $0 { true } else { false } }
      if isRefused { _ = try await confirmedHead() }
      return outcomes
    } catch {
      window = nil
      if error == .fenced { loseOwnership() }
      return attempts.map { _ in .failed(error) }
    }
  }

  /// Integrates uploads, and leaves out versions that cannot be read if there are any.
  private func integrateReadable(
    _ attempts: [UploadAttempt]
  ) async throws(StoreError) -> [UploadOutcome] {
    while true {
      do throws(StoreError) {
        return try await integrate(UploadGroup(attempts))
      } catch {
        guard case .unreadableEntry(let version, let reason) = error, version > head.base else {
          throw error
        }
        try await skip(through: version, because: reason)
      }
    }
  }

  // MARK: Tries

  /// The end of one try to integrate a group.
  private enum TryEnd {
    /// What is not refused is on the disk.
    case stored(Integration)
    /// An upload does not fit, which is noted in the group.
    case misfit
    /// The group has to be integrated again, without what is noted in it.
    case again
    case oneByOne
  }

  private func integrate(_ uploads: UploadGroup) async throws(StoreError) -> [UploadOutcome] {
    var (group, misfitCount) = (uploads, 0)
    let base = try await mergeBase(for: &group)
    if let (number, writes) = group.hiddenWrites(base) {
      guard group.count == 1 else { return try await integrateEach(group) }
      try await leaveOut(writes, of: number, in: &group)
    }
    while true {
      switch try await integrate(&group, base) {
      case .stored(let integration):
        base.history.removeOld()
        return outcomes(of: group, integration)
      case .again: continue
      case .misfit:
        misfitCount += 1
        // The whole group is done again after each, so a group of misfits would take the square.
        if misfitCount > 1 { return try await integrateEach(group) }
      case .oneByOne: return try await integrateEach(group)
      }
    }
  }

  /// Tries to integrate the uploads that are not refused.
  private func integrate(
    _ group: inout UploadGroup, _ base: MergeBase
  ) async throws(StoreError) -> TryEnd {
    base.history.removeAll(after: head.version)
    var integration = Integration(base, transformer: transformer, schema: settings.schema)
    let now = clock.now()
    for number in group.openNumbers where group[number].refusal == nil {
      do throws(MergeStop) {
        try integration.add(group[number], number: number, now: now)
      } catch {
        switch error {
        case .refused(let refusal): group.refuse(number, refusal)
        case .needsOwnTurn: return .oneByOne
        case .failed(let error): throw .storage(error)
        }
      }
    }
    guard group.isOpen else { return .stored(integration) }
    let (uploads, merged) = (group, integration)
    var misfit: Misfit?
    try await append { (write) throws(StorageError) in
      var transaction = GroupTransaction(
        write, after: self.head, self.settings, self.salts, now: now)
      switch try transaction.carryOut(merged.entries, of: uploads, merged.files.values) {
      case .success(let batch): return batch
      case .failure(let failure):
        misfit = failure
        return nil
      }
    }
    guard let misfit else { return .stored(integration) }
    return try await note(misfit, in: &group, base)
  }

  /// Notes what the next try has to leave out or to add.
  private func note(
    _ misfit: Misfit, in group: inout UploadGroup, _ base: MergeBase
  ) async throws(StoreError) -> TryEnd {
    let number = misfit.number
    switch misfit.reason {
    case .refusal(let refusal):
      if group[number].declarations == nil, refusal.code == .badChangeset,
        let missing = try await missingDeclarations(of: group[number], base)
      {
        group[number].declarations = missing
        return .again
      }
      group.refuse(number, refusal)
      return .misfit
    case .writes(let writes):
      // What follows an upload with refused writes is merged with what undoes them.
      guard group.count == 1 else { return .oneByOne }
      try await leaveOut(writes, of: number, in: &group)
      return .again
    }
  }

  /// What the realm lacks of the classes that an upload names, although the app's schema has them.
  private func missingDeclarations(
    of attempt: UploadAttempt, _ base: MergeBase
  ) async throws(StoreError) -> Changeset? {
    guard let schema = settings.schema?.schema, let file = base.files[attempt.upload.file]?.file
    else { return nil }
    let snapshot = try await store.snapshot(atLeast: head.version)
    return try StoreError.storing(
      SchemaCompletion.declarations(for: attempt.newEntries(file), schema, in: snapshot.objects))
  }

  /// The outcomes of a stored group.
  private func outcomes(of group: UploadGroup, _ integration: Integration) -> [UploadOutcome] {
    for loss in integration.dropped {
      report(.instructions(of: loss.file, count: loss.count, through: loss.through))
    }
    return group.attempts.map { attempt in
      if let refusal = attempt.refusal { return .refused(refusal) }
      guard let file = integration.files[attempt.upload.file]?.file else {
        return .failed(.unknownFile(attempt.upload.file))
      }
      return .integrated(file, head)
    }
  }

  /// Integrates the uploads that are not refused, each in a transaction of its own.
  private func integrateEach(_ uploads: UploadGroup) async throws(StoreError) -> [UploadOutcome] {
    var group = uploads
    var outcomes: [UploadOutcome] = []
    for number in group.attempts.indices {
      if let refusal = group[number].refusal {
        outcomes.append(.refused(refusal))
        continue
      }
      let outcome = try await integrate(UploadGroup([group[number]]))[0]
      if case .refused(let refusal) = outcome { group.refuse(number, refusal) }
      outcomes.append(outcome)
    }
    return outcomes
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
