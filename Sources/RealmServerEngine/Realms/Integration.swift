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

  let history: HistoryWindow
  /// The newest version before the group.
  let start: UInt64
  /// The version up to which entries are gone.
  let trimmed: UInt64
  private(set) var states: [FileIdentifier: ClientHistory]
  private(set) var entries: [MergedEntry] = []
  private var transformer: Transformer
  /// Nil in realms without views.
  private let unseen: UnseenObjects?
  /// Whether an upload has to be integrated before all others of the group: it makes an object that
  /// its client was not sent, whose state is that before the group.
  private(set) var needsOwnTurn = false
  /// The instructions of each upload that were dropped as their client was not sent the history.
  private(set) var dropped: [(file: FileIdentifier, count: Int, through: UInt64)] = []
  /// An error of the store, after which nothing is integrated.
  private(set) var failure: StoreError?
  /// The refused writes of the upload.
  private var compensation = Compensation(file: .server)
  /// The properties hidden from the author of the upload; nil if it sees all.
  private var unread: UnreadFields?
  /// Declarations to put before the first change of the upload.
  private var declarations: Changeset?
  /// The instructions that the upload may have still.
  private var instructionsLeft = 0

  private let limits: Limits
  /// The schema of the app; nil where nothing is known of it.
  private let schema: SchemaKeeper?

  /// - Parameter history: Has all versions after the lowest base of the group.
  init(
    _ states: [FileIdentifier: ClientHistory], history: HistoryWindow, trimmed: UInt64,
    transformer: Transformer, unseen: UnseenObjects? = nil, limits: Limits = Limits(),
    schema: SchemaKeeper? = nil
  ) {
    self.schema = schema
    self.unseen = unseen
    self.limits = limits
    self.states = states
    self.history = history
    self.trimmed = trimmed
    self.transformer = transformer
    start = history.end
  }

  /// Merges an upload.
  ///
  /// - Parameters:
  ///   - number: The position in the group.
  ///   - now: The client's new sign of life.
  ///   - refused: The changes of it that the user may not make.
  ///   - unread: The properties hidden from its author; nil if it sees all.
  ///   - declarations: What its realm lacks of the classes that it names.
  mutating func add(
    _ upload: Upload, number: Int, now: OriginTimestamp, refused: RefusedWrites? = nil,
    unread: UnreadFields? = nil, declarations: Changeset? = nil
  ) throws(SessionRefusal) {
    guard var state = states[upload.file] else {
      throw SessionRefusal(.badClientFileIdent, "Unknown client file \(upload.file.rawValue)")
    }
    let (version, count, droppedCount) = (history.end, entries.count, dropped.count)
    instructionsLeft = limits.instructionCount
    transformer.workLeft = limits.work
    self.unread = unread
    self.declarations = declarations
    compensation = Compensation(file: upload.file, schema: schema, refused)
    do throws(SessionRefusal) {
      try check(upload, state.file)
      // The same changes again, after a lost connection, are skipped.
      let new = upload.entries.drop { $0.clientVersion <= state.file.clientVersion }
      var rest = new
      while let first = rest.first {
        let part = rest.prefix { $0.serverVersion == first.serverVersion }
        try merge(part, of: upload, base: base(of: first, state.file), &state, number)
        rest = rest.dropFirst(part.count)
      }
      if !compensation.isEmpty { appendCompensation(of: number, now) }
    } catch {
      history.removeAll(after: version)
      entries.removeLast(entries.count - count)
      dropped.removeLast(dropped.count - droppedCount)
      assert(history.end == version, "`Integration` 1: the history has a part of an upload")
      throw error
    }
    assert(
      UInt64(entries.count - count) == history.end - version,
      "`Integration` 1: each entry is in the history")
    state.file.clientVersion = max(state.file.clientVersion, upload.progress.clientVersion)
    state.file.reciprocalBase = max(state.file.reciprocalBase, upload.progress.serverVersion)
    state.file.lockedServerVersion = max(
      state.file.lockedServerVersion, upload.lockedServerVersion)
    state.file.lastSeen = max(state.file.lastSeen, now)
    states[upload.file] = state
  }

  /// The checks that need what is stored; `UploadThreshold` has the others.
  private func check(_ upload: Upload, _ file: ClientFile) throws(SessionRefusal) {
    guard !file.isExpired else {
      throw SessionRefusal(.clientFileExpired, "The client was offline for too long")
    }
    guard upload.entries.count <= limits.entryCount else {
      throw SessionRefusal(.badChangeset, "Too many changesets")
    }
    guard upload.progress.serverVersion <= start else {
      throw SessionRefusal(.badServerVersion, "Bad server version of the progress")
    }
    for entry in upload.entries where entry.clientVersion > file.clientVersion {
      // A client that has downloaded needs all that came after; nothing else is ever trimmed.
      guard entry.serverVersion >= file.reciprocalBase, entry.serverVersion <= start,
        entry.serverVersion >= trimmed || entry.serverVersion == 0
      else {
        throw SessionRefusal(.badServerVersion, "Bad server version \(entry.serverVersion)")
      }
    }
  }

  /// The version after which an entry is merged with everything. What a new client made before it
  /// first downloaded meets only what is still stored, and what follows its first download.
  private func base(of entry: UploadEntry, _ file: ClientFile) -> UInt64 {
    max(entry.serverVersion, trimmed, file.firstDownloadBase)
  }

  /// An entry of an upload, as it is read.
  private struct ParsedEntry {
    /// With the identifier of the client's file.
    let changeset: Changeset
    /// Whether the bytes lack that identifier.
    let hasNewFile: Bool
    /// Whether objects are made.
    var creates = false
    /// Whether classes or properties are declared.
    var declares = false
  }

  /// Merges entries of one base.
  private mutating func merge(
    _ part: ArraySlice<UploadEntry>, of upload: Upload, base: UInt64, _ state: inout ClientHistory,
    _ number: Int
  ) throws(SessionRefusal) {
    var incoming: [Changeset] = []
    var isChanged: [Bool] = []
    var reduced: [Set<ObjectIdentity>] = []
    var declares: [Bool] = []
    var creates = false
    for entry in part {
      let parsed = try parse(entry, state.file.ident)
      var changeset = parsed.changeset
      isChanged.append(parsed.hasNewFile || upload.right != .allowed)
      declares.append(parsed.declares)
      if parsed.creates { creates = true }
      if upload.right != .allowed { try compensation.take(from: &changeset, upload.right) }
      if try compensation.takeRefused(from: &changeset) { isChanged[isChanged.count - 1] = true }
      reduced.append([])
      if let unread {
        let taken = unread.take(from: &changeset, base: entry.serverVersion)
        if taken.isChanged { isChanged[isChanged.count - 1] = true }
        reduced[reduced.count - 1] = taken.reduced
      }
      if let declarations {
        changeset.prepend(declarations)
        isChanged[isChanged.count - 1] = true
        declares[declares.count - 1] = true
        self.declarations = nil
      }
      incoming.append(changeset)
    }
    let isDropping =
      try addUnseen(of: incoming, after: base, creating: creates, &state, upload.query)
      || base < state.file.firstDownloadVersion
    let made = unseen != nil && creates ? incoming.map(\.madeObjects) : []
    var (local, places) = state.locals(after: base, history, for: incoming)
    let count = isDropping ? incoming.instructionCount : 0
    do throws(MergeError) {
      let outcome = try transformer.merge(local: &local, incoming: &incoming, ownIdent: .server)
      for position in outcome.alteredLocal { state.alter(places[position], to: local[position]) }
      for position in outcome.alteredIncoming { isChanged[position] = true }
    } catch {
      throw SessionRefusal(error)
    }
    if isDropping, count > incoming.instructionCount, let last = part.last {
      dropped.append(
        (state.file.ident, count - incoming.instructionCount, through: last.clientVersion))
    }
    for (offset, entry) in part.enumerated() {
      incoming[offset].origin.version = history.end + 1
      // Nothing of the rest reaches others.
      if isChanged[offset] { incoming[offset].keep(incoming[offset].instructions) }
      history.append(incoming[offset])
      entries.append(
        MergedEntry(
          upload: number, clientVersion: entry.clientVersion,
          originalByteCount: entry.changeset.count, changeset: incoming[offset],
          bytes: isChanged[offset]
            ? ChangesetEncoder.encode(incoming[offset]) : entry.changeset,
          made: made.isEmpty ? [] : made[offset], declares: declares[offset],
          reduced: reduced[offset]))
    }
  }

  /// Adds the version of the server that undoes the refused writes of an upload.
  private mutating func appendCompensation(of number: Int, _ now: OriginTimestamp) {
    let origin = ChangesetOrigin(version: history.end + 1, file: .server, timestamp: now)
    history.append(Changeset(origin: origin))
    entries.append(
      MergedEntry(
        upload: number, clientVersion: 0, originalByteCount: 0,
        changeset: Changeset(origin: origin), bytes: [], made: [], declares: false,
        compensation: compensation))
  }

  /// Notes what takes the place of the history of objects that the client was not sent.
  ///
  /// - Returns: Whether the changes of some objects are dropped.
  private mutating func addUnseen(
    of incoming: [Changeset], after base: UInt64, creating: Bool, _ state: inout ClientHistory,
    _ query: EffectiveQuery?
  ) throws(SessionRefusal) -> Bool {
    guard let unseen else { return false }
    let own = entries.filter { $0.changeset.origin.file == state.file.ident }
    // What is not made here can be unseen only if the client has written to it after the base. Most
    // uploads make nothing and follow the newest version, so nothing has been written since.
    guard creating || base < start || !own.isEmpty else { return false }
    do throws(StorageError) {
      let objects = try unseen.find(in: incoming, after: base, own, state, query)
      guard !objects.isEmpty else { return false }
      for entry in history[from: start] where entry.origin.file != state.file.ident {
        needsOwnTurn = true
      }
      // Between the newest version and this one are entries of the client alone.
      let version = history.end + 1
      let change = try unseen.changes(of: objects, version: version)
      state.add(change, about: objects.restarted + objects.dropped, at: version)
      return !objects.dropped.isEmpty
    } catch {
      failure = .storage(error)
      throw SessionRefusal(.storage(error))
    }
  }

  private mutating func parse(
    _ entry: UploadEntry, _ ident: FileIdentifier
  ) throws(SessionRefusal) -> ParsedEntry {
    let origin = ChangesetOrigin(
      version: entry.clientVersion, remoteVersion: entry.serverVersion, file: ident,
      timestamp: entry.timestamp)
    var parsed: ParsedEntry
    do throws(ChangesetError) {
      let (changeset, hasNewFile) = try ChangesetParser.parse(
        entry.changeset, replacingOwnFileBy: ident, origin: origin,
        instructionCountMax: instructionsLeft)
      parsed = ParsedEntry(changeset: changeset, hasNewFile: hasNewFile)
    } catch {
      throw SessionRefusal(.badChangeset, "Bad changeset: \(error)")
    }
    let changeset = parsed.changeset
    instructionsLeft -= max(changeset.instructions.count, changeset.elements.count)
    for instruction in changeset.instructions {
      switch instruction {
      case .createObject: parsed.creates = true
      case .addTable, .addColumn: parsed.declares = true
      case .eraseTable, .eraseColumn:
        throw SessionRefusal(
          .invalidSchemaChange, "Classes and properties cannot be removed from the server")
      default: continue
      }
    }
    return parsed
  }
}

extension [Changeset] {
  fileprivate var instructionCount: Int { reduce(0) { $0 + $1.instructions.count } }
}

extension Changeset {
  /// The objects of classes with primary key whose first instruction makes them.
  fileprivate var madeObjects: [ObjectIdentity] {
    var seen: Set<ObjectReference> = []
    return instructions.compactMap { instruction in
      guard let object = instruction.object, seen.insert(object).inserted,
        case .createObject = instruction
      else { return nil }
      if case .globalKey = object.key { return nil }
      return identity(of: object)
    }
  }
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

/// An entry of an upload after merging.
struct MergedEntry {
  /// The position of its upload in the group.
  let upload: Int
  let clientVersion: UInt64
  let originalByteCount: Int
  /// The changeset to apply; its origin has the new version and the author.
  let changeset: Changeset
  let bytes: [UInt8]
  /// The objects made first of all by the client, even if merging discarded it; none in realms
  /// without views.
  let made: [ObjectIdentity]
  /// Whether it may declare classes or properties; merging takes some of that away.
  let declares: Bool
  /// The objects made by the client of which the upload leaves something out that it sees by now.
  var reduced: Set<ObjectIdentity> = []
  /// The writes that the version undoes; nil for those of clients.
  var compensation: Compensation?
}
