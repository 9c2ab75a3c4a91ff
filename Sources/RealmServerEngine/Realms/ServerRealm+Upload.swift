// SPDX-License-Identifier: Apache-2.0

// The integration of uploads, and the queue of those that wait for it.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension ServerRealm {
  /// Integrates an upload, together with others that wait.
  package func integrate(_ upload: Upload) async -> UploadOutcome {
    await withCheckedContinuation { waiter in
      queue.append(upload, waiter)
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
      let outcomes = await integrate(group: group.uploads)
      for (waiter, outcome) in zip(group.waiters, outcomes) { waiter.resume(returning: outcome) }
    }
    isDraining = false
  }

  /// Integrates uploads in one transaction. Those that cannot be integrated are left out, and so
  /// are later ones of their files.
  func integrate(group uploads: [Upload]) async -> [UploadOutcome] {
    do throws(StoreError) {
      try await beginFirstDownloads(of: uploads)
      await beginAppending()
      defer { endAppending() }
      let outcomes = try await integrateReadable(uploads)
      // What a former owner does not know refuses no client (`ServerRealm+LookUp` 1).
      let isRefused = outcomes.contains { if case .refused = $0 { true } else { false } }
      if isRefused { _ = try await confirmedHead() }
      return outcomes
    } catch {
      window = nil
      if error == .fenced { loseOwnership() }
      return uploads.map { _ in .failed(error) }
    }
  }

  /// Integrates uploads, and leaves out versions that cannot be read if there are any.
  private func integrateReadable(_ uploads: [Upload]) async throws(StoreError) -> [UploadOutcome] {
    while true {
      do throws(StoreError) {
        return try await tryIntegrating(uploads)
      } catch {
        guard case .unreadableEntry(let version, let reason) = error, version > head.base else {
          throw error
        }
        try await skip(through: version, because: reason)
      }
    }
  }

  private func tryIntegrating(_ uploads: [Upload]) async throws(StoreError) -> [UploadOutcome] {
    let window = try await preparedWindow(for: uploads)
    var refusals: [Int: SessionRefusal] = [:]
    var refused: [Int: RefusedWrites] = [:]
    let states = try await states(for: uploads, window, &refusals)
    let unseen = try await unseenObjects(for: uploads, states)
    let unread = try await unreadFields(of: uploads, states)
    if let writes = unreadWrites(of: uploads, unread, states, refusals) {
      guard uploads.count == 1 else { return try await integrateEach(uploads, refusals) }
      if let refusal = try await refusal(of: uploads[0], for: writes, &refused[0]) {
        refuse(0, of: uploads, refusal, &refusals)
      }
    }
    var (declarations, misfitCount) = ([Int: Changeset](), 0)
    while true {
      window.removeAll(after: head.version)
      var integration = Integration(
        states, history: window, trimmed: head.base, transformer: transformer, unseen: unseen,
        schema: settings.schema)
      let now = clock.now()
      for (number, upload) in uploads.enumerated() where refusals[number] == nil {
        do throws(SessionRefusal) {
          try integration.add(
            upload, number: number, now: now,
            refused: upload.rules == nil ? refused[number] : refused[number] ?? RefusedWrites(),
            unread: unread[number], declarations: declarations[number])
        } catch {
          refuse(number, of: uploads, error, &refusals)
        }
      }
      if let failure = integration.failure { throw failure }
      if integration.needsOwnTurn { return try await integrateEach(uploads, refusals) }
      var failed: Misfit?
      if !integration.states.isEmpty, refusals.count < uploads.count {
        try await append { (group) throws(StorageError) in
          switch try self.apply(integration, of: uploads, in: group, now: now) {
          case .success(let batch): return batch
          case .failure(let failure):
            failed = failure
            return nil
          }
        }
      }
      if let failed {
        switch failed.reason {
        case .refusal(let refusal):
          if declarations[failed.upload] == nil, refusal.code == .badChangeset,
            let missing = try await missingDeclarations(of: uploads[failed.upload], states)
          {
            declarations[failed.upload] = missing
            continue
          }
          refuse(failed.upload, of: uploads, refusal, &refusals)
        case .writes(let writes):
          // What follows an upload with refused writes is merged with what undoes them.
          guard uploads.count == 1 else { return try await integrateEach(uploads, refusals) }
          if let refusal = try await refusal(of: uploads[0], for: writes, &refused[0]) {
            refuse(0, of: uploads, refusal, &refusals)
          }
          continue
        }
        misfitCount += 1
        // The whole group is done again after each, so a group of misfits would take the square.
        if misfitCount > 1 { return try await integrateEach(uploads, refusals) }
        continue
      }
      window.removeOld()
      return outcomes(of: uploads, integration, refusals)
    }
  }

  /// What the realm lacks of the classes that an upload names, although the app's schema has them.
  private func missingDeclarations(
    of upload: Upload, _ states: [FileIdentifier: ClientHistory]
  ) async throws(StoreError) -> Changeset? {
    guard let schema = settings.schema?.schema, let file = states[upload.file]?.file else {
      return nil
    }
    let snapshot = try await store.snapshot(atLeast: head.version)
    return try StoreError.storing(
      SchemaCompletion.declarations(
        for: upload, after: file.clientVersion, schema, in: snapshot.objects))
  }

  /// The outcomes of a stored group.
  private func outcomes(
    of uploads: [Upload], _ integration: Integration, _ refusals: [Int: SessionRefusal]
  ) -> [UploadOutcome] {
    for loss in integration.dropped {
      report(.instructions(of: loss.file, count: loss.count, through: loss.through))
    }
    return uploads.enumerated().map { (number, upload) in
      if let refusal = refusals[number] { return .refused(refusal) }
      guard let file = integration.states[upload.file]?.file else {
        return .failed(.unknownFile(upload.file))
      }
      return .integrated(file, head)
    }
  }

  /// Integrates the uploads that are not refused, each in a transaction of its own.
  private func integrateEach(
    _ uploads: [Upload], _ refusals: [Int: SessionRefusal]
  ) async throws(StoreError) -> [UploadOutcome] {
    var refusals = refusals
    var outcomes: [UploadOutcome] = []
    for (number, upload) in uploads.enumerated() {
      if let refusal = refusals[number] {
        outcomes.append(.refused(refusal))
        continue
      }
      let outcome = try await tryIntegrating([upload])[0]
      if case .refused(let refusal) = outcome { refuse(number, of: uploads, refusal, &refusals) }
      outcomes.append(outcome)
    }
    return outcomes
  }

  /// Adds the writes that an upload may not make to those that the next try leaves out. Returns why
  /// the upload is refused as a whole, if it is.
  private func refusal(
    of upload: Upload, for writes: RefusedWrites, _ refused: inout RefusedWrites?
  ) async throws(StoreError) -> SessionRefusal? {
    var all = refused ?? RefusedWrites()
    all.formUnion(writes)
    let isKnown = all == refused
    refused = all
    if let refusal = try await refusal(of: upload) { return refusal }
    assert(!isKnown, "a change that was taken out is refused again")
    return isKnown ? Compensation.roleRefusal : nil
  }

  /// Leaves an upload out, and those that follow it in the same client's history.
  private func refuse(
    _ number: Int, of uploads: [Upload], _ refusal: SessionRefusal,
    _ refusals: inout [Int: SessionRefusal]
  ) {
    for later in uploads.indices where later >= number {
      guard uploads[later].file == uploads[number].file, refusals[later] == nil else { continue }
      refusals[later] = refusal
    }
  }

  /// The window with all versions that the uploads have to be merged with.
  private func preparedWindow(for uploads: [Upload]) async throws(StoreError) -> HistoryWindow {
    guard isOwner else { throw .fenced }
    try await settleHead()
    let window = self.window ?? HistoryWindow(base: head.version)
    self.window = window
    var base = head.version
    for upload in uploads {
      for entry in upload.entries { base = min(base, entry.serverVersion) }
    }
    base = max(base, head.base)
    guard base < window.base else { return window }
    var older: [Changeset] = []
    for entry in try await store.entries(in: base + 1..<window.base + 1) {
      older.append(try parse(entry.changeset, origin: entry.origin))
    }
    window.prepend(older)
    return window
  }

  private func parse(_ bytes: [UInt8], origin: ChangesetOrigin) throws(StoreError) -> Changeset {
    do throws(ChangesetError) {
      return try ChangesetParser.parse(bytes, origin: origin)
    } catch {
      throw .unreadableEntry(version: origin.version, "\(error)")
    }
  }

  /// The files of uploads. Those of which something cannot be read are left out.
  private func states(
    for uploads: [Upload], _ window: HistoryWindow, _ refusals: inout [Int: SessionRefusal]
  ) async throws(StoreError) -> [FileIdentifier: ClientHistory] {
    var states: [FileIdentifier: ClientHistory] = [:]
    for (number, upload) in uploads.enumerated()
    where states[upload.file] == nil && refusals[number] == nil {
      guard let file = try await store.file(upload.file) else { continue }
      do throws(StoreError) {
        states[upload.file] = try await state(of: file)
      } catch {
        guard case .unreadableFile(let file, let reason) = error else { throw error }
        report(.client(file, reason: reason))
        refuse(number, of: uploads, SessionRefusal(error), &refusals)
      }
    }
    return states
  }

  /// The properties hidden from the authors of uploads, by the numbers of these uploads.
  private func unreadFields(
    of uploads: [Upload], _ states: [FileIdentifier: ClientHistory]
  ) async throws(StoreError) -> [Int: UnreadFields] {
    var unread: [Int: UnreadFields] = [:]
    var paths: PropertyPaths?
    for (number, upload) in uploads.enumerated() {
      guard let file = states[upload.file]?.file,
        !file.filters.isEmpty || upload.rules != nil
      else { continue }
      let (current, earlier) = (upload.rules?.permissions.filters, try file.viewFilters())
      if paths == nil, current?.haveParts ?? false || earlier.haveParts {
        let snapshot = try await store.snapshot(atLeast: head.version)
        paths = try StoreError.storing(PropertyPaths(snapshot.objects))
      }
      unread[number] = UnreadFields(current, earlier, paths)
    }
    return unread
  }

  /// The refused writes of the first upload with writes to hidden properties; nil if none has any.
  private func unreadWrites(
    of uploads: [Upload], _ unread: [Int: UnreadFields],
    _ states: [FileIdentifier: ClientHistory], _ refusals: [Int: SessionRefusal]
  ) -> RefusedWrites? {
    for (number, upload) in uploads.enumerated() where refusals[number] == nil {
      guard let fields = unread[number], let file = states[upload.file]?.file else { continue }
      let writes = fields.refusedWrites(of: upload, after: file.clientVersion)
      if !writes.isEmpty { return writes }
    }
    return nil
  }

  private func state(of file: ClientFile) async throws(StoreError) -> ClientHistory {
    var reciprocals: [UInt64: Changeset] = [:]
    var privates: [UInt64: Changeset] = [:]
    var objects: [UInt64: [ObjectIdentity]] = [:]
    func parse(_ bytes: [UInt8], _ origin: ChangesetOrigin) throws(StoreError) -> Changeset {
      do throws(ChangesetError) {
        return try ChangesetParser.parse(bytes, origin: origin)
      } catch {
        throw .unreadableFile(file.ident, "what belongs to version \(origin.version): \(error)")
      }
    }
    let base = file.reciprocalBase
    for (version, bytes) in try await store.reciprocals(of: file.ident, after: base) {
      // The origin is that of the entry, which `ClientHistory` knows.
      reciprocals[version] = try parse(bytes, ChangesetOrigin(version: version))
    }
    for change in try await store.privates(of: file.ident, after: base) {
      let origin = ChangesetOrigin(
        version: change.version, file: .server, timestamp: change.timestamp)
      privates[change.version] = try parse(change.changeset, origin)
      objects[change.version] = change.objects
    }
    return ClientHistory(
      file: file, reciprocals: reciprocals, privates: privates, privateObjects: objects)
  }

  /// What is needed to find objects that uploads make without having been sent them; nil if there
  /// is no new upload, and in realms without views.
  private func unseenObjects(
    for uploads: [Upload], _ states: [FileIdentifier: ClientHistory]
  ) async throws(StoreError) -> UnseenObjects? {
    guard let scratch else { return nil }
    var base: UInt64?
    for upload in uploads {
      guard let file = states[upload.file]?.file else { continue }
      for entry in upload.entries where entry.clientVersion > file.clientVersion {
        base = min(base ?? .max, max(entry.serverVersion, head.base))
      }
    }
    guard let base else { return nil }
    let snapshot = try await store.snapshot(atLeast: head.version)
    var entries: [StoredEntry] = []
    if head.version > head.base {
      let first = min(base + 1, head.version)
      entries = try await store.entries(in: first..<head.version + 1)
    }
    return UnseenObjects(
      snapshot, base < head.version ? entries : [],
      timestamp: entries.last?.committed ?? clock.now(), scratch: scratch)
  }

  /// An upload of the group that does not fit the objects, or has changes that are refused.
  private struct Misfit: Error {
    enum Reason {
      case refusal(SessionRefusal)
      case writes(RefusedWrites)
    }

    let upload: Int
    let reason: Reason
  }

  /// The end of a session with refused writes that cannot be undone; nil if they can.
  private func refusal(of upload: Upload) async throws(StoreError) -> SessionRefusal? {
    guard upload.rules?.isCompensated ?? true,
      try await readersRight(upload.file) == .compensated
    else { return Compensation.roleRefusal }
    return nil
  }

  /// Carries out the entries of a group.
  private func apply(
    _ integration: Integration, of uploads: [Upload], in group: WriteGroup, now: OriginTimestamp
  ) throws(StorageError) -> Result<Batch, Misfit> {
    var batch = Batch()
    var applier = InstructionApplier(group, file: .server, limits: ApplyLimits())
    var upload: Int?
    var check: WriteCheck?
    var collector = settings.keepsTouches ? TouchCollector(group) : nil
    var review = SchemaReview(settings.schema)
    var total = head.totalByteCount
    for entry in integration.entries {
      if upload != entry.upload {
        applier.renewWork()
        if let check, !check.refused.isEmpty { break }
        check = uploads[entry.upload].rules.map { WriteCheck($0, in: group) }
      }
      upload = entry.upload
      if entry.declares,
        let refusal = try review.add(entry.changeset, of: entry.upload, in: group)
      {
        return .failure(Misfit(upload: entry.upload, reason: .refusal(refusal)))
      }
      try collector?.begin(entry.changeset)
      try check?.begin(entry.changeset, version: entry.clientVersion)
      do throws(ApplyError) {
        try applier.apply(entry.changeset)
      } catch {
        switch error {
        case .storage(let cause): throw cause
        case .badChangeset(let problem, let instruction):
          let refusal = SessionRefusal(problem, instruction: instruction)
          return .failure(Misfit(upload: entry.upload, reason: .refusal(refusal)))
        }
      }
      try check?.end()
      if let compensation = entry.compensation {
        let change = try compensation.change(
          group, version: entry.changeset.origin.version, timestamp: now)
        guard let change else {
          return .failure(Misfit(upload: entry.upload, reason: .refusal(compensation.refusal)))
        }
        batch.privates.append(change)
      }
      let touches = try collector?.end(made: entry.made, reduced: entry.reduced) ?? []
      total += entry.originalByteCount
      let origin = entry.changeset.origin
      batch.entries.append(
        StoredEntry(
          version: origin.version, salt: salts.next(), file: origin.file,
          clientVersion: entry.clientVersion, timestamp: origin.timestamp, committed: now,
          originalByteCount: entry.originalByteCount, totalByteCount: total,
          changeset: entry.bytes, touches: touches))
    }
    // Nothing of a transaction with refused writes is stored, not even its schema.
    if let upload, let check, !check.refused.isEmpty {
      return .failure(Misfit(upload: upload, reason: .writes(check.refused)))
    }
    if let (upload, refusal) = try review.finish() {
      return .failure(Misfit(upload: upload, reason: .refusal(refusal)))
    }
    for state in integration.states.values.sorted(by: { $0.file.ident < $1.file.ident }) {
      batch.files.append(state.file)
      let changes = state.changes
      batch.reciprocals += changes.reciprocals
      batch.privates += changes.privates
    }
    return .success(batch)
  }
}

/// The uploads of a realm in the order of their arrival, with their waiting callers.
struct UploadQueue {
  private var uploads: [(upload: Upload, waiter: CheckedContinuation<UploadOutcome, Never>)] = []

  var isEmpty: Bool { uploads.isEmpty }

  mutating func append(_ upload: Upload, _ waiter: CheckedContinuation<UploadOutcome, Never>) {
    uploads.append((upload, waiter))
  }

  /// Takes the uploads for the next transaction.
  mutating func takeGroup(
    _ limits: GroupCommit
  ) -> (uploads: [Upload], waiters: [CheckedContinuation<UploadOutcome, Never>]) {
    let count = limits.count(of: uploads.map(\.upload))
    let group = uploads.prefix(count)
    defer { uploads.removeFirst(count) }
    return (group.map(\.upload), group.map(\.waiter))
  }
}

/// The limits of one transaction.
package struct GroupCommit: Hashable, Sendable {
  package var entryCountMax = 1000
  package var byteCountMax = 4 << 20

  /// The number of uploads for one transaction: those within the limits, and one in any case.
  package func count(of uploads: [Upload]) -> Int {
    var (entries, bytes) = (0, 0)
    for (index, upload) in uploads.enumerated() {
      entries += upload.entries.count
      bytes += upload.byteCount
      if index > 0, entries > entryCountMax || bytes > byteCountMax { return index }
    }
    return uploads.count
  }
}
