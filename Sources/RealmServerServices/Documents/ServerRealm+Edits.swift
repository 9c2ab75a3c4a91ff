// SPDX-License-Identifier: Apache-2.0

// Writes of the server itself: calls about documents become versions of the realm.
//
// Invariants:
// 1. A call is carried out whole or not at all, and under the rules of its user: what an upload of
//    the same changes would have to take back is refused here.
// 2. A draft is carried out only if it is what the call would give in its turn.

#if Server
import RealmFormats
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmText

/// A call about documents, with the rights of its user.
struct DocumentCall: Sendable {
  let command: DocumentCommand
  let rights: SessionRights
  let partition: DocumentPartition?
  var work: DocumentWork
  /// Makes ids for new documents.
  let identifiers: @Sendable () -> ObjectIDBits
  /// Takes the versions that the call is about to make, and whether they came to be.
  var versions: (@Sendable (ClosedRange<UInt64>, _ isMade: Bool) -> Void)?
}

extension ServerRealm {
  /// The newest version of any server, for calls that change nothing.
  func newestSnapshot() async throws(StoreError) -> RealmSnapshot {
    try await store.newest()
  }

  /// The version in which a call can be drafted; nil if it declares a class or properties first.
  func draftSnapshot(for command: DocumentCommand) async throws(StoreError) -> RealmSnapshot? {
    let snapshot = try await store.newest()
    guard let schema = settings.schema?.schema else { return snapshot }
    let missing = try StoreError.storing(
      schema.declarations(ofClass: command.collection, missingIn: snapshot.objects))
    return missing.isEmpty ? snapshot : nil
  }

  /// The most versions after a draft that are looked at in its turn.
  private static let newerVersionCountMax: UInt64 = 1_000

  /// The objects that were changed after the version of a draft; nil if it is to be made again.
  private func changed(since draft: DocumentDraft?) async -> ChangedObjects? {
    guard let version = draft?.version, version < head.version else { return ChangedObjects() }
    guard version >= head.base, head.version - version <= Self.newerVersionCountMax,
      let entries = try? await store.entries(in: version + 1..<head.version + 1)
    else { return nil }
    return ChangedObjects(entries)
  }

  /// Carries out a call that changes documents. Its result is on the disk on return.
  ///
  /// - Parameter draft: What was found before; nil to search in the turn.
  /// - Returns: Nil if the draft does not hold any more.
  func carryOut(
    _ call: DocumentCall, _ draft: DocumentDraft? = nil
  ) async throws(DocumentError) -> BSONValue? {
    guard call.rights.mayWrite else {
      throw .notPermitted("write not permitted: the user may read the partition and not change it")
    }
    var outcome: Result<BSONValue?, DocumentError> = .success(nil)
    var made: ClosedRange<UInt64>?
    do throws(StoreError) {
      let isCarriedOut = try await makeVersions(
        finding: { await changed(since: draft) },
        { changed, group, head in
          var call = call
          if call.command.searches { call.work = call.work.inTurn() }
          var edit = ServerEdit(
            call, in: group, after: head, self.settings, self.salts, now: self.clock.now())
          do throws(DocumentError) {
            outcome = .success(try edit.run(draft, after: changed))
            made = edit.versions
            if let made { call.versions?(made, true) }
            return .success(
              edit.batch.entries.isEmpty ? nil : MadeVersions(edit.batch, edit.changesets))
          } catch {
            if case .store(.storage(let cause)) = error { return .failure(cause) }
            outcome = .failure(error)
            return .success(nil)
          }
        })
      guard isCarriedOut else { return nil }
    } catch {
      if let made { call.versions?(made, false) }
      throw .store(error)
    }
    return try outcome.get()
  }
}

/// One call in a transaction.
private struct ServerEdit {
  private let call: DocumentCall
  private let group: WriteGroup
  private let settings: ServerRealm.Settings
  private let salts: SaltSource
  private let now: OriginTimestamp
  private var version: UInt64
  private var totalByteCount: Int
  private var applier: InstructionApplier
  private(set) var batch = Batch()
  /// The changesets of the entries.
  private(set) var changesets: [Changeset] = []

  /// The versions of the entries; nil if there are none.
  var versions: ClosedRange<UInt64>? {
    guard let first = batch.entries.first?.version, let last = batch.entries.last?.version else {
      return nil
    }
    return first...last
  }

  init(
    _ call: DocumentCall, in group: WriteGroup, after head: RealmHead,
    _ settings: ServerRealm.Settings, _ salts: SaltSource, now: OriginTimestamp
  ) {
    self.call = call
    self.group = group
    self.settings = settings
    self.salts = salts
    self.now = now
    version = head.version
    totalByteCount = head.totalByteCount
    applier = InstructionApplier(group, file: .server, limits: ApplyLimits())
  }

  /// The result; nil if a draft does not hold any more.
  mutating func run(
    _ draft: DocumentDraft?, after changed: ChangedObjects
  ) throws(DocumentError) -> BSONValue? {
    let name = call.command.collection
    if let schema = settings.schema?.schema {
      let declarations = try DocumentError.storing(
        schema.declarations(ofClass: name, missingIn: group))
      if !declarations.isEmpty { try store(declarations, nil) }
    }
    let permissions = call.rights.permissions
    guard
      let collection = try DocumentCollection(
        name, in: group, permissions?[name], call.partition)
    else { throw .unknownCollection(name) }
    if let draft {
      do throws(DocumentError) {
        var work = call.work
        guard try draft.holds(after: changed, in: collection, &work) else { return nil }
      } catch .tooLong {
        return nil
      }
      if draft.changedCount > 0 { try store(draft.changeset, permissions) }
      return draft.result
    }
    var edit = DocumentEdit(
      collection, now: now, call.work, identifiers: call.identifiers)
    let result = try edit.run(call.command)
    guard edit.changedCount > 0 else {
      // Declarations alone are no reason for a version.
      (batch, changesets) = (Batch(), [])
      return result
    }
    try store(edit.changeset, permissions)
    return result
  }

  /// Carries out a changeset as the next version.
  private mutating func store(
    _ changes: Changeset, _ permissions: SessionPermissions?
  ) throws(DocumentError) {
    version += 1
    var changeset = changes
    changeset.origin = ChangesetOrigin(version: version, file: .server, timestamp: now)
    let name = call.command.collection
    var check = permissions.map {
      WriteCheck(WriteRules(permissions: $0, subscriptions: [[name: "TRUEPREDICATE"]]), in: group)
    }
    var collector = settings.keepsTouches ? TouchCollector(group) : nil
    try DocumentError.storing(collector?.begin(changeset))
    try DocumentError.storing(check?.begin(changeset, version: version))
    do throws(ApplyError) {
      try applier.apply(changeset)
    } catch {
      switch error {
      case .storage(let cause): throw .storage(cause)
      case .badChangeset(let problem, _):
        throw .failed("the change does not fit the objects: \(problem)")
      }
    }
    try DocumentError.storing(check?.end())
    guard check?.hasRefused != true else {
      throw .notPermitted("\(call.command.verb) not permitted")
    }
    let touches = try DocumentError.storing(collector?.end(made: [])) ?? []
    let bytes = ChangesetEncoder.encode(changeset)
    totalByteCount += bytes.count
    batch.entries.append(
      StoredEntry(
        version: version, salt: salts.next(), file: .server, clientVersion: 0, timestamp: now,
        committed: now, originalByteCount: bytes.count, totalByteCount: totalByteCount,
        changeset: bytes, touches: touches))
    changesets.append(changeset)
  }
}
#endif
