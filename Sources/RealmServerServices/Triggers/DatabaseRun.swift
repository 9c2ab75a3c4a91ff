// SPDX-License-Identifier: Apache-2.0

// The run of a trigger on changes of a class.
//
// Invariants:
// 1. The position in a realm is never beyond an undelivered event, so each event is
//    delivered at least once, and the events of a realm are in the order of its versions.
// 2. No version of a realm is held while a function runs.
// 3. Positions are stored soon after deliveries; those without deliveries are, now and then.

#if Server
import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// Delivers the changes of a class, realm by realm.
struct DatabaseRun {
  /// An obstacle on the way to a realm's events.
  private enum Problem: Error {
    case stop(TriggerStop)
    /// Goes by itself, perhaps.
    case store(StoreError)
    case lost(RealmName)
    case document(DocumentError)
  }

  /// The events made at a time.
  private static let groupCount = 8
  private static let entryCountMax: UInt64 = 64
  private static let entryByteCountMax = 256 << 10
  private static let storeInterval: Milliseconds = 250
  private static let idleStoreInterval: Milliseconds = 30_000
  private static let unstoredCountMax = 256

  private let context: TriggerContext
  private let trigger: DatabaseTrigger
  private let match: DocumentQuery?
  private let realms: TriggerRealms
  private let reader: TriggerReader
  /// The positions to be stored.
  private var unstored: [RealmID: TriggerPosition] = [:]
  private var hasDelivered = false
  private var lastStore: Milliseconds
  private var entryCount: UInt64 = 1

  init(
    _ context: TriggerContext, _ trigger: DatabaseTrigger, _ realms: TriggerRealms,
    _ reader: TriggerReader
  ) throws(TriggerStop) {
    self.context = context
    self.trigger = trigger
    self.realms = realms
    self.reader = reader
    lastStore = context.timer.now()
    do throws(DocumentError) {
      match = try trigger.match.map { (value) throws(DocumentError) in try DocumentQuery(value) }
    } catch {
      throw .suspended("its \"match\" is none: \(error)")
    }
  }

  /// Runs until the task is cancelled, or the trigger cannot go on.
  mutating func run() async throws(TriggerStop) {
    var works = context.queue.makeWorks()
    do throws(TriggerStop) {
      while let work = await works.next() {
        if case .realm(let realm) = work { try await look(at: realm) }
        await storeIfDue(isIdle: context.queue.count == 0)
      }
    } catch {
      await storePositions()
      throw error
    }
    await storePositions()
    throw .cancelled
  }

  // MARK: Realms

  /// Delivers the events of a realm, or a part of them: then it waits again.
  private mutating func look(at realm: RealmID) async throws(TriggerStop) {
    var failureCount = 0
    while true {
      do throws(Problem) {
        if try await step(realm) { context.queue.add(realm) }
        return
      } catch {
        switch error {
        case .stop(let stop): throw stop
        case .document(let error): throw .suspended("\(error)")
        case .lost(let name):
          guard context.settings.toleratesLostPosition else {
            throw .suspended(Self.lostText(name))
          }
          context.report(Self.lostText(name) + "; it goes on with what comes from now on")
          await moveToHead(realm, name)
        case .store(let error):
          failureCount += 1
          context.report("the realm \(realm.rawValue) cannot be read: \(error)")
          try await context.pause(after: failureCount)
        }
      }
    }
  }

  private static func lostText(_ realm: RealmName) -> String {
    let place = realm.partition.map { "the partition \($0)" } ?? "the realm"
    return "lost position: the changes of \(place) after the last delivered one are not there any "
      + "more. Resume it from \"now\" or from \"start\""
  }

  private mutating func moveToHead(_ realm: RealmID, _ name: RealmName) async {
    do throws(StoreError) {
      let head = try await realms.open(name).realm.entries(after: .max, count: 0).head
      unstored[realm] = TriggerPosition(head)
      hasDelivered = true
    } catch {
      // It is lost again, at the next look.
      context.report("the realm \(realm.rawValue) cannot be read: \(error)")
    }
  }

  /// Delivers the events of some versions. Returns whether there are more.
  private mutating func step(_ id: RealmID) async throws(Problem) -> Bool {
    let (opened, name, start) = try await storing(await open(id))
    guard let opened else { return false }
    let realm = opened.realm
    var position = start
    let (entries, head) = try await history(of: realm, after: position, name)
    context.update { $0.behind = head.version - min(head.version, position.version) }
    for entry in entries {
      let changes = try await changes(in: entry)
      if position.eventCount < changes.count {
        try await deliver(changes, of: entry, in: realm, name, &position)
      }
      position = TriggerPosition(version: entry.version, salt: entry.salt)
      unstored[id] = position
      context.update { $0.behind = head.version - min(head.version, position.version) }
    }
    let byteCount = entries.reduce(0) { $0 + $1.changeset.count }
    entryCount =
      byteCount < Self.entryByteCountMax ? min(entryCount * 2, Self.entryCountMax) : 1
    return position.version < head.version
  }

  /// The realm and the position in it; nil for the realm if nothing is new.
  private func open(
    _ id: RealmID
  ) async throws(StoreError) -> (RealmDirectory.OpenRealm?, RealmName, TriggerPosition) {
    var position = unstored[id]
    if position == nil { position = try await context.store.position(of: context.name, in: id) }
    let found = position ?? TriggerPosition()
    let (name, head) = try await realms.name(of: id)
    // News may be about another app with a similar name: its realms have another owner.
    guard realms.has(name) else { return (nil, name, found) }
    if let head, TriggerPosition(head) == found { return (nil, name, found) }
    return (try await realms.open(name), name, found)
  }

  private func history(
    of realm: ServerRealm, after position: TriggerPosition, _ name: RealmName
  ) async throws(Problem) -> (entries: [StoredEntry], head: RealmHead) {
    let token = ChangeToken(version: position.version, salt: position.salt)
    guard try await storing(await realm.knows(token)) else { throw .lost(name) }
    do throws(StoreError) {
      return try await realm.entries(after: position.version, count: entryCount)
    } catch {
      if case .trimmed = error { throw .lost(name) }
      throw .store(error)
    }
  }

  private func storing<R: Sendable>(
    _ call: @autoclosure () async throws(StoreError) -> R
  ) async throws(Problem) -> R {
    do throws(StoreError) { return try await call() } catch { throw .store(error) }
  }

  private func changes(in entry: StoredEntry) async throws(Problem) -> [TriggerChange] {
    let (reader, name) = (reader, trigger.collection)
    return try await storing(await reader.changes(in: entry, ofClass: name))
  }

  // MARK: Events

  private mutating func deliver(
    _ changes: [TriggerChange], of entry: StoredEntry, in realm: ServerRealm, _ name: RealmName,
    _ position: inout TriggerPosition
  ) async throws(Problem) {
    let maker = TriggerEvents(
      trigger: trigger, match: match, partition: realms.partition(of: name), entry: entry)
    let depth = await realms.depth(of: entry.version, in: realm.id)
    while position.eventCount < changes.count {
      let first = position.eventCount
      let group = Array(changes[first..<min(first + Self.groupCount, changes.count)])
      guard group.contains(where: { trigger.operations.contains($0.operation) }) else {
        position.eventCount += group.count
        continue
      }
      let events = try await events(group, first: first, by: maker, in: realm)
      if trigger.isUnordered {
        try await deliver(events, beside: depth)
        position.eventCount += group.count
        unstored[realm.id] = position
        await storeIfDue(isIdle: false)
      } else {
        for event in events {
          if let event { try await deliver(event, depth) }
          position.eventCount += 1
          unstored[realm.id] = position
          if event != nil { await storeIfDue(isIdle: false) }
        }
      }
    }
  }

  private func events(
    _ changes: [TriggerChange], first: Int, by maker: TriggerEvents, in realm: ServerRealm
  ) async throws(Problem) -> [BSONValue?] {
    let version = trigger.documentBefore ? maker.entry.version : nil
    let state = try await storing(await realm.state(withEntriesFrom: version))
    do throws(DocumentError) {
      return try await reader.events(
        changes, first: first, by: maker, in: state.snapshot, history: state.entries,
        DocumentWork(DocumentLimits(), now: context.timer.now))
    } catch {
      if case .store(let cause) = error { throw .store(cause) }
      throw .document(error)
    }
  }

  private mutating func deliver(_ event: BSONValue, _ depth: Int) async throws(Problem) {
    do throws(TriggerStop) {
      try await context.deliver(event, depth: depth)
    } catch {
      throw .stop(error)
    }
    hasDelivered = true
  }

  private mutating func deliver(_ events: [BSONValue?], beside depth: Int) async throws(Problem) {
    let context = context
    let stop = await withTaskGroup(of: TriggerStop?.self) { group in
      for event in events {
        guard let event else { continue }
        group.addTask {
          do throws(TriggerStop) {
            try await context.deliver(event, depth: depth)
            return nil
          } catch {
            return error
          }
        }
      }
      var first: TriggerStop?
      for await stop in group { first = first ?? stop }
      return first
    }
    hasDelivered = true
    if let stop { throw .stop(stop) }
  }

  // MARK: Positions

  private mutating func storeIfDue(isIdle: Bool) async {
    guard !unstored.isEmpty else { return }
    let time = context.timer.now() &- lastStore
    let isDue =
      hasDelivered
      ? isIdle || time >= Self.storeInterval
      : unstored.count >= Self.unstoredCountMax || time >= Self.idleStoreInterval
    if isDue { await storePositions() }
  }

  /// Stores the positions, or keeps them for another time: events are repeated then.
  private mutating func storePositions() async {
    guard !unstored.isEmpty else { return }
    lastStore = context.timer.now()
    do throws(StoreError) {
      try await context.store.set(unstored, of: context.name)
      unstored = [:]
      hasDelivered = false
    } catch {
      context.report("its position cannot be stored: \(error)")
    }
  }
}
#endif
