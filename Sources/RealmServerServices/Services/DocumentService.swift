// SPDX-License-Identifier: Apache-2.0

// The documents of an app: its collections as clients call them.
//
// Invariants:
// 1. A call has the rights of its user at the time of the call; a stream asks for them again
//    whenever it goes on.
// 2. What is read is the newest version of any server. A write is carried out by the owner of the
//    realm, which this server becomes if there is none.

#if Server
package import RealmFormats
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol
import RealmText

/// Carries out the calls of collections, and watches them.
package final class DocumentService: Sendable {
  private let app: ServerApp
  private let mode: SyncMode
  private let settings: Locked<DocumentSettings>
  /// The way to the owners of other realms; nil where there are none.
  private let nodes: (any NodeCalls)?
  package let limits: DocumentLimits
  private let places: DocumentPlaces
  private let clock: ServerClock
  private let timer: SyncClock
  private let random: RandomBytes
  /// The calls by their users; nil is the program.
  private let calls = Locked<[String?: Int]>([:])
  private let watches: WatchTable

  /// - Parameters:
  ///   - nodes: The way to the owners of other realms; nil where there are none.
  ///   - heads: The new versions of the app's realms.
  ///   - timer: The time of limits, and between the signs of life of streams.
  package init(
    _ app: ServerApp, mode: SyncMode, settings: DocumentSettings = DocumentSettings(),
    limits: DocumentLimits = DocumentLimits(), nodes: (any NodeCalls)? = nil,
    heads: AsyncStream<RealmHead>, clock: ServerClock, timer: SyncClock = .continuous,
    random: RandomBytes = RandomBytes()
  ) {
    self.app = app
    self.mode = mode
    self.settings = Locked(settings)
    self.nodes = nodes
    self.limits = limits
    places = DocumentPlaces(runningPerUser: limits.runningPerUser)
    self.clock = clock
    self.timer = timer
    self.random = random
    watches = WatchTable(limits, heads: heads, timer: timer)
  }

  /// Whether a service of clients is this one.
  package func isService(_ name: String) -> Bool {
    settings.withLock { $0.service == name }
  }

  /// Takes other settings, for the calls from now on.
  package func set(_ settings: DocumentSettings) { self.settings.withLock { $0 = settings } }

  // MARK: Calls

  /// Carries out a call.
  ///
  /// - Parameters:
  ///   - name: One of `DocumentCommand.names`.
  ///   - user: The id of the user; nil for the server's own program, which has all rights.
  package func call(
    _ name: String, _ arguments: [BSONValue], user: String?
  ) async throws(DocumentError) -> BSONValue {
    guard begin(user) else { throw .busy }
    defer { end(user) }
    var attemptCount = 0
    while true {
      let owner: String
      do throws(DocumentError) {
        return try await carryOut(name, arguments, user: user).value
      } catch {
        guard case .store(.owned(let node)) = error, nodes != nil, attemptCount < 3 else {
          throw error
        }
        owner = node
      }
      attemptCount += 1
      let call = NodeCall(
        app: app.name, name: name, arguments, user: user, depth: CallChain.depth)
      if let value = try await answer(to: call, on: owner) { return value }
    }
  }

  /// The result of a call that another server carries out; nil if that is not the owner any more.
  private func answer(
    to call: NodeCall, on node: String
  ) async throws(DocumentError) -> BSONValue? {
    guard let nodes else { return nil }
    let number = call.depth > 0 ? app.depths.beginCall() : nil
    defer { if let number { app.depths.endCall(number) } }
    switch await nodes.answer(to: call, on: node) {
    case .success(let answer):
      if call.depth > 0, let versions = answer.versions {
        app.depths.note(versions, of: answer.realm, depth: call.depth)
      }
      guard let value = try? ExtendedJSONReader.parse(answer.value) else {
        throw .store(.unavailable("the owner of the realm gives a result that cannot be read"))
      }
      return value
    case .failure(.store(.owned)): return nil
    case .failure(let error): throw error
    }
  }

  /// Carries out a call that another server has got, under the rights that its user has here.
  package func answer(to call: NodeCall) async -> Result<NodeAnswer, DocumentError> {
    guard let arguments = call.values else {
      return .failure(.badArgument("the arguments of '\(call.name)' cannot be read"))
    }
    guard begin(call.user) else { return .failure(.busy) }
    defer { end(call.user) }
    return await CallChain.$depth.withValue(call.depth) {
      () async -> Result<NodeAnswer, DocumentError> in
      do throws(DocumentError) {
        let outcome = try await carryOut(call.name, arguments, user: call.user)
        return .success(
          NodeAnswer(
            value: JSONWriter.bytes(ExtendedJSONWriter.json(outcome.value)), realm: outcome.realm,
            versions: outcome.versions))
      } catch {
        return .failure(error)
      }
    }
  }

  /// The result of a call, with the versions that it has made.
  private struct Outcome {
    let value: BSONValue
    let realm: RealmID
    var versions: ClosedRange<UInt64>?
  }

  private func carryOut(
    _ name: String, _ arguments: [BSONValue], user: String?
  ) async throws(DocumentError) -> Outcome {
    guard let first = arguments.first, arguments.count == 1 else {
      throw .badArgument("'\(name)' needs one document with its arguments")
    }
    let command = try DocumentCommand(name, first, limits: limits)
    let partition = try partition { (field) throws(DocumentError) in
      try command.values(of: field, limits: limits)
    }
    let (realm, rights) = try await open(partition, for: user, writing: command.isWrite)
    let id = realm.realm.id
    guard command.isWrite else {
      let value = try await searching(as: user) {
        (worker, work) async throws(DocumentError) in
        let snapshot = try await reading(realm, partition, user) {
          (realm) async throws(StoreError) in try await realm.newestSnapshot()
        }
        return try await worker.run(
          command, in: snapshot, rights.permissions, partition, work,
          isDeclared: { [keeper = realm.realm.settings.schema] name in
            keeper?.schema.hasClass(name) ?? false
          })
      }
      return Outcome(value: value, realm: id)
    }
    let (clock, random) = (clock, random)
    let made = Locked<ClosedRange<UInt64>?>(nil)
    let call = DocumentCall(
      command: command, rights: rights, partition: partition, work: work(),
      identifiers: { Self.identifier(clock, random) }, versions: versionNotes(id, made))
    let value = try await write(call, in: realm.realm, user: user)
    return Outcome(value: value, realm: id, versions: made.withLock { $0 })
  }

  /// The most drafts of a call: others write meanwhile, and each may change what was found.
  private static let draftCountMax = 4

  /// Carries out a call that changes documents. Uploads wait for all that happens in its turn to
  /// write. So what takes long is found before, in a version, and only looked at again in the turn.
  private func write(
    _ call: DocumentCall, in realm: ServerRealm, user: String?
  ) async throws(DocumentError) -> BSONValue {
    if !call.command.searches || call.command.namesObject {
      do throws(DocumentError) {
        if let value = try await realm.carryOut(call) { return value }
      } catch .tooLong where call.command.searches {
        // One object may be large.
      }
    }
    guard call.rights.mayWrite else {
      throw .notPermitted("write not permitted: the user may read the partition and not change it")
    }
    for _ in 0..<Self.draftCountMax {
      let draft = try await searching(as: user) {
        (worker, work) async throws(DocumentError) -> DocumentDraft? in
        let snapshot = try await Self.storing { () throws(StoreError) in
          try await realm.draftSnapshot(for: call.command)
        }
        guard let snapshot else { return nil }
        var call = call
        call.work = work
        return try await worker.draft(call, in: snapshot, now: clock.now())
      }
      guard let draft else { break }
      if let value = try await realm.carryOut(call, draft) { return value }
    }
    do throws(DocumentError) {
      if let value = try await realm.carryOut(call) { return value }
    } catch .tooLong {
      throw .busy
    }
    throw .busy
  }

  /// Searches on a thread, once it is the user's turn.
  private func searching<R: Sendable>(
    as user: String?,
    _ search: (DocumentWorker, DocumentWork) async throws(DocumentError) -> R
  ) async throws(DocumentError) -> R {
    guard let place = await places.begin(user) else { throw .busy }
    defer { places.end(place) }
    // The time of the call begins with its turn.
    return try await search(place.worker, work())
  }

  /// The work of a call from now on, which ends with the service.
  private func work() -> DocumentWork {
    let (places, timer) = (places, timer)
    return DocumentWork(limits, now: { places.hasEnded ? .max : timer.now() })
  }

  /// Notes the versions that a call makes, and the triggers on the way to them.
  private func versionNotes(
    _ realm: RealmID, _ made: Locked<ClosedRange<UInt64>?>
  ) -> @Sendable (ClosedRange<UInt64>, Bool) -> Void {
    let (depth, depths) = (CallChain.depth, app.depths)
    return { versions, isMade in
      made.withLock { $0 = isMade ? versions : nil }
      guard depth > 0 else { return }
      if isMade {
        depths.note(versions, of: realm, depth: depth)
      } else {
        depths.forget(versions, of: realm)
      }
    }
  }

  /// Counts a call. Returns false if there are too many: the program's own calls have places of
  /// their own.
  private func begin(_ user: String?) -> Bool {
    calls.withLock { calls in
      let count = calls[user, default: 0]
      if user == nil {
        guard count < limits.callCount else { return false }
      } else {
        let all = calls.reduce(0) { $1.key == nil ? $0 : $0 + $1.value }
        guard count < limits.callsPerUser, all < limits.callCount else { return false }
      }
      calls[user] = count + 1
      return true
    }
  }

  private func end(_ user: String?) {
    calls.withLock { calls in
      let count = calls[user, default: 1] - 1
      calls[user] = count > 0 ? count : nil
    }
  }

  /// The partition of a call; nil in flexible mode.
  private func partition(
    _ values: (_ field: String) throws(DocumentError) -> [BSONValue]
  ) throws(DocumentError) -> DocumentPartition? {
    guard mode == .partition else { return nil }
    let field = settings.withLock { $0.partitionKey }
    let values = try values(field)
    guard let value = values.first, values.allSatisfy({ BSONOrder.areEqual($0, value) }) else {
      throw .badArgument(
        "the app has partitions, so a call is about one value of the field '\(field)': name it in "
          + "the query or in the documents")
    }
    guard let normal = PartitionText.value(ExtendedJSONWriter.text(value)) else {
      throw .badArgument("the value of the field '\(field)' is none of a partition")
    }
    return DocumentPartition(field: field, value: normal)
  }

  /// The partition in the documents of a realm; nil in flexible mode.
  func partition(of realm: RealmName) -> DocumentPartition? {
    guard mode == .partition, let value = realm.partition.flatMap({ PartitionText.value($0) })
    else { return nil }
    return DocumentPartition(field: settings.withLock { $0.partitionKey }, value: value)
  }

  /// The realm of a call, and what its user may do there.
  private func open(
    _ partition: DocumentPartition?, for user: String?, writing isWrite: Bool
  ) async throws(DocumentError) -> (RealmDirectory.OpenRealm, SessionRights) {
    let text = partition.map { ExtendedJSONWriter.text($0.value) }
    let rights = try await rights(of: user, in: text)
    let name = RealmName(app: app.name, partition: text)
    let realms = app.realms
    let realm = try await Self.storing { () throws(StoreError) in
      isWrite
        ? try await realms.open(name, for: user) : try await realms.openReader(name, for: user)
    }
    return (realm, rights)
  }

  /// Reads a realm, which is opened again if it was closed meanwhile.
  private func reading<R: Sendable>(
    _ realm: RealmDirectory.OpenRealm, _ partition: DocumentPartition?, _ user: String?,
    _ body: (ServerRealm) async throws(StoreError) -> R
  ) async throws(DocumentError) -> R {
    let text = partition.map { ExtendedJSONWriter.text($0.value) }
    let (name, realms) = (RealmName(app: app.name, partition: text), app.realms)
    return try await Self.storing { () throws(StoreError) in
      do throws(StoreError) {
        return try await body(realm.realm)
      } catch {
        guard error.needsReopening else { throw error }
      }
      let again = try await realms.openReader(name, for: user)
      return try await body(again.realm)
    }
  }

  private func rights(
    of user: String?, in partition: String?
  ) async throws(DocumentError) -> SessionRights {
    guard let user, let access = app.rules.snapshot.access else { return .all }
    do throws(SessionRefusal) {
      return try await access.rights(of: user, in: partition)
    } catch {
      throw .notPermitted(error.document.message)
    }
  }

  private static func storing<R: Sendable>(
    _ call: () async throws(StoreError) -> R
  ) async throws(DocumentError) -> R {
    do throws(StoreError) { return try await call() } catch { throw .store(error) }
  }

  /// An id for a document without one: the time, and a random number.
  private static func identifier(_ clock: ServerClock, _ random: RandomBytes) -> ObjectIDBits {
    let seconds = (clock.now().milliseconds + OriginTimestamp.unixOffset) / 1_000
    let bytes = random.bytes(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return ObjectIDBits(
      high: seconds << 32 | bytes >> 32, low: UInt32(truncatingIfNeeded: bytes))
  }

  // MARK: Streams

  /// Opens a stream of the changes of a collection.
  ///
  /// - Parameter user: The user; nil for the server's own program, which has all rights.
  package func watch(
    _ arguments: [BSONValue], user: UserAccess?
  ) async throws(DocumentError) -> DocumentWatch {
    guard let first = arguments.first, arguments.count == 1 else {
      throw .badArgument("'watch' needs one document with its arguments")
    }
    let request = try WatchRequest(first)
    let partition = try partition { (field) throws(DocumentError) in
      (request.filter?.equalities() ?? []).filter { $0.path.text == "fullDocument.\(field)" }
        .map(\.value)
    }
    let (realm, rights) = try await open(partition, for: user?.account.id, writing: false)
    let token = try await reading(realm, partition, user?.account.id) {
      (realm) async throws(StoreError) -> ChangeToken? in
      guard let token = request.token else { return try await realm.newestToken() }
      return try await realm.knows(token) ? token : nil
    }
    guard let token else { throw .resumeLost }
    guard let seat = watches.add(user, realm: realm.realm.id) else { throw .busy }
    return DocumentWatch(
      self, request, partition, realm, seat: seat, user: user?.account.id,
      from: DocumentWatch.Position(token: token, rights: rights))
  }

  /// Ends the streams of those whose access ended.
  package func endWatches(_ end: AccessEnds.End) {
    watches.end { end.concerns($0.holder) }
  }

  /// Whose streams are open.
  package var watchHolders: Set<AccessEnds.Holder> { watches.holders }

  /// Ends all streams and searches, and those that would begin: the app is not served any more.
  package func endWatches() {
    places.end()
    watches.close()
  }

  /// The open streams.
  package var watchCount: Int { watches.count }

  private func changes(
    of watched: WatchedClass, after token: ChangeToken, for watch: DocumentWatch
  ) async throws(StoreError) -> (changes: ViewChanges, snapshot: RealmSnapshot)? {
    do throws(StoreError) {
      return try await watch.realm.changes(of: watched, after: token)
    } catch {
      guard error.needsReopening else { throw error }
    }
    // Another server has become the owner, and the realm was closed here.
    let partition = watch.partition.map { ExtendedJSONWriter.text($0.value) }
    watch.set(
      try await app.realms.openReader(
        RealmName(app: app.name, partition: partition), for: watch.user))
    return try await watch.realm.changes(of: watched, after: token)
  }

  /// The next events of a stream; nil if there are none yet.
  func events(
    of watch: DocumentWatch, after position: DocumentWatch.Position
  ) async throws(DocumentError) -> (events: [BSONValue], position: DocumentWatch.Position) {
    let text = watch.partition.map { ExtendedJSONWriter.text($0.value) }
    let rights = try await rights(of: watch.user, in: text)
    let name = watch.request.collection
    let watched = WatchedClass(
      name: name, before: position.rights.permissions?[name], now: rights.permissions?[name])
    let token = position.token
    let found: (changes: ViewChanges, snapshot: RealmSnapshot)?
    do throws(StoreError) {
      found = try await changes(of: watched, after: token, for: watch)
    } catch {
      if case .trimmed = error { throw .resumeLost }
      throw .store(error)
    }
    guard let found else { return ([], DocumentWatch.Position(token: token, rights: rights)) }
    let head = found.snapshot.head
    let events = try await searching(as: watch.user) {
      (worker, work) async throws(DocumentError) in
      try await worker.events(
        found.changes, in: found.snapshot, of: watch.request, rights.permissions,
        watch.partition, after: token, work)
    }
    return (
      events,
      DocumentWatch.Position(
        token: ChangeToken(version: head.version, salt: head.salt), rights: rights)
    )
  }
}
#endif
