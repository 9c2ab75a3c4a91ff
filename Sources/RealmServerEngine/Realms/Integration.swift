// SPDX-License-Identifier: Apache-2.0

// Uploads become versions (P4 A.5).
//
// Invariants:
// 1. An upload is merged whole or not at all: after a refusal the history and the file are as
//    before it.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Merges the uploads of a group with the history, and with each other.
struct Integration {
  /// The limits of one upload, which bound the memory and the time that it takes.
  struct Limits {
    /// As many as 16 MiB have of the shortest changes of values.
    var instructionCount = 3 << 19
    /// A client stops at 128 KiB, and leaves out changesets without bytes.
    var entryCount = 1 << 16
    /// Some seconds.
    var work = 1 << 30
  }

  /// The instructions of an upload that were dropped as their client was not sent the history.
  struct Dropped {
    let file: FileIdentifier
    let count: Int
    let through: UInt64
  }

  let history: HistoryWindow
  /// The newest version before the group.
  private let start: UInt64
  private let trimmed: UInt64
  private let unseen: UnseenObjects?
  private let workMax: Int
  /// The schema of the app; nil where nothing is known of it.
  private let schema: SchemaKeeper?
  private var transformer: Transformer

  private(set) var files: [FileIdentifier: ClientHistory]
  private(set) var entries: [MergedEntry] = []
  private(set) var dropped: [Dropped] = []

  init(
    _ base: MergeBase, transformer: Transformer, schema: SchemaKeeper? = nil,
    workMax: Int = Limits().work
  ) {
    history = base.history
    start = base.history.end
    trimmed = base.trimmed
    files = base.files
    unseen = base.unseen
    self.transformer = transformer
    self.schema = schema
    self.workMax = workMax
  }

  /// What merging an upload adds to.
  struct Mark {
    fileprivate let version: UInt64
    fileprivate let entryCount: Int
    fileprivate let droppedCount: Int
    fileprivate let file: ClientHistory?
    fileprivate let ident: FileIdentifier
  }

  /// The state before an upload.
  func mark(before upload: Upload) -> Mark {
    Mark(
      version: history.end, entryCount: entries.count, droppedCount: dropped.count,
      file: files[upload.file], ident: upload.file)
  }

  /// The entries of the upload that was added last.
  func entries(since mark: Mark) -> ArraySlice<MergedEntry> { entries[mark.entryCount...] }

  /// Takes the upload out again that was added last.
  mutating func goBack(to mark: Mark) {
    history.removeAll(after: mark.version)
    entries.removeLast(entries.count - mark.entryCount)
    dropped.removeLast(dropped.count - mark.droppedCount)
    files[mark.ident] = mark.file
    assert(history.end == mark.version, "`Integration` 1: the history has a part of an upload")
  }

  /// Merges an upload, which was read.
  ///
  /// - Parameter now: The client's new sign of life.
  mutating func add(_ attempt: UploadAttempt, now: OriginTimestamp) throws(MergeStop) {
    let upload = attempt.upload
    guard var state = files[upload.file] else {
      throw .refused(
        SessionRefusal(.badClientFileIdent, "Unknown client file \(upload.file.rawValue)"))
    }
    let mark = mark(before: upload)
    transformer.workLeft = workMax
    do throws(MergeStop) {
      if let refusal = refusal(of: attempt, state.file) { throw .refused(refusal) }
      try merge(attempt, &state, now)
    } catch {
      goBack(to: mark)
      throw error
    }
    assert(
      UInt64(entries(since: mark).count) == history.end - mark.version,
      "`Integration` 1: each entry is in the history")
    state.file.note(upload, now)
    files[upload.file] = state
  }

  /// Why what is stored is against an upload; `UploadThreshold` has the other checks.
  private func refusal(of attempt: UploadAttempt, _ file: ClientFile) -> SessionRefusal? {
    assert(attempt.isRead, "an upload is merged before it was read")
    guard !file.isExpired else {
      return SessionRefusal(.clientFileExpired, "The client was offline for too long")
    }
    guard attempt.upload.progress.serverVersion <= start else {
      return SessionRefusal(.badServerVersion, "Bad server version of the progress")
    }
    for entry in attempt.upload.entries where entry.clientVersion > file.clientVersion {
      // A client that has downloaded needs all that came after; nothing else is ever trimmed.
      guard entry.serverVersion >= file.reciprocalBase, entry.serverVersion <= start,
        entry.serverVersion >= trimmed || entry.serverVersion == 0
      else {
        return SessionRefusal(.badServerVersion, "Bad server version \(entry.serverVersion)")
      }
    }
    return attempt.flaw
  }

  /// Merges the new entries of an upload.
  private mutating func merge(
    _ attempt: UploadAttempt, _ state: inout ClientHistory, _ now: OriginTimestamp
  ) throws(MergeStop) {
    var left = WithheldWrites(attempt, schema, makesViews: unseen != nil)
    var rest = attempt.newEntries(state.file)
    while let first = rest.first {
      let part = rest.prefix { $0.serverVersion == first.serverVersion }
      var merged: [MergedEntry] = []
      do throws(SessionRefusal) {
        for entry in part { merged.append(try left.withhold(from: entry)) }
      } catch {
        throw .refused(error)
      }
      try merge(&merged, base: base(of: first, state.file), &state, attempt.upload.query)
      rest = rest.dropFirst(part.count)
    }
    if !left.compensation.isEmpty {
      // The version of the server that undoes the refused writes.
      let origin = ChangesetOrigin(version: history.end + 1, file: .server, timestamp: now)
      history.append(Changeset(origin: origin))
      entries.append(MergedEntry(undoing: left.compensation, origin))
    }
  }

  /// The version after which an entry is merged with everything. What a new client made before it
  /// first downloaded meets only what is still stored, and what follows its first download.
  private func base(of entry: ReceivedEntry, _ file: ClientFile) -> UInt64 {
    max(entry.serverVersion, trimmed, file.firstDownloadBase)
  }

  /// Merges entries of one base.
  private mutating func merge(
    _ part: inout [MergedEntry], base: UInt64, _ state: inout ClientHistory,
    _ query: EffectiveQuery?
  ) throws(MergeStop) {
    var incoming: [Changeset] = []
    for index in part.indices { incoming.append(part[index].takeChangeset()) }
    let isDropping =
      try addUnseen(of: incoming, &part, after: base, &state, query)
      || base < state.file.firstDownloadVersion
    var (local, places) = state.locals(after: base, history, for: incoming)
    let count = isDropping ? incoming.instructionCount : 0
    do throws(MergeError) {
      let outcome = try transformer.merge(local: &local, incoming: &incoming, ownIdent: .server)
      for position in outcome.alteredLocal { state.alter(places[position], to: local[position]) }
      for position in outcome.alteredIncoming { part[position].isChanged = true }
    } catch {
      throw .refused(SessionRefusal(error))
    }
    if isDropping, count > incoming.instructionCount, let last = part.last {
      dropped.append(
        Dropped(
          file: state.file.ident, count: count - incoming.instructionCount,
          through: last.clientVersion))
    }
    for index in part.indices {
      part[index].finish(incoming[index], version: history.end + 1)
      history.append(part[index].changeset)
    }
    entries += part
  }

  /// Notes what takes the place of the history of objects that the client was not sent.
  ///
  /// - Returns: Whether the changes of some objects are dropped.
  private mutating func addUnseen(
    of incoming: [Changeset], _ part: inout [MergedEntry], after base: UInt64,
    _ state: inout ClientHistory, _ query: EffectiveQuery?
  ) throws(MergeStop) -> Bool {
    guard let unseen else { return false }
    let creating = part.contains { !$0.made.isEmpty }
    // A group has many entries, and few of them are of one client: the others are not copied.
    var own: [MergedEntry] = []
    for index in entries.indices where entries[index].changeset.origin.file == state.file.ident {
      own.append(entries[index])
    }
    // What is not made here can be unseen only if the client has written to it after the base. Most
    // uploads make nothing and follow the newest version, so nothing has been written since.
    guard base < start || !own.isEmpty || creating else { return false }
    do throws(StorageError) {
      let objects = try unseen.find(in: incoming, after: base, own, state, query)
      if !objects.held.isEmpty {
        for index in part.indices { part[index].made.removeAll(where: objects.held.contains) }
      }
      guard !objects.isEmpty else { return false }
      if history[from: start].allSatisfy({ $0.origin.file == state.file.ident }) {
        // Between the newest version and this one are entries of the client alone.
        let version = history.end + 1
        let change = try unseen.changes(of: objects, version: version)
        state.add(change, about: objects.restarted + objects.dropped, at: version)
        return !objects.dropped.isEmpty
      }
    } catch {
      throw .failed(error)
    }
    throw .beginsTransaction
  }
}

extension ClientFile {
  /// Notes the cursors of an integrated upload.
  fileprivate mutating func note(_ upload: Upload, _ now: OriginTimestamp) {
    clientVersion = max(clientVersion, upload.progress.clientVersion)
    reciprocalBase = max(reciprocalBase, upload.progress.serverVersion)
    lockedServerVersion = max(lockedServerVersion, upload.lockedServerVersion)
    lastSeen = max(lastSeen, now)
  }
}

extension [Changeset] {
  fileprivate var instructionCount: Int { reduce(0) { $0 + $1.instructions.count } }
}

extension SessionRefusal {
  fileprivate init(_ error: MergeError) {
    switch error {
    case .tableMismatch(let conflict), .columnMismatch(let conflict):
      let name = conflict.field.map { "\(conflict.table).\($0)" } ?? conflict.table
      self.init(.invalidSchemaChange, "Another definition of \(name) exists")
    case .sizeMismatch, .positionOutOfRange, .tooMuchWork:
      self.init(.badChangeset, "Bad changeset: \(error)")
    }
  }

  /// The refusal of a changeset that does not fit the objects.
  init(_ problem: ApplyProblem, instruction: String) {
    switch problem {
    case .classMismatch(let name), .propertyMismatch(let name):
      self.init(.invalidSchemaChange, "Another definition of \(name) exists")
    case .tooManyProperties(let name, let limit):
      self.init(.invalidSchemaChange, "Class \(name) would have more than \(limit) properties")
    case .tooManyClasses(let limit):
      self.init(.invalidSchemaChange, "The app would have more than \(limit) classes")
    case .tooMuchWork: self.init(.badChangeset, "The changes cost too much work")
    default: self.init(.badChangeset, "Bad changeset: \(problem) at \(instruction)")
    }
  }
}
