// SPDX-License-Identifier: Apache-2.0

// Random calls of stores, compared with the model after each.

import RealmServerEngine
import RealmSyncProtocol
import RealmTables
import RealmTestSupport

#if Postgres
@testable import RealmServerPostgres
#endif

/// A run of random calls with a seed.
struct StoreRun {
  /// A difference between a store and the model.
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  private let bench: StoreBench
  private let breaksConnections: Bool
  private var random: SeededGenerator
  private var model: StoreModel
  private var realm: any RealmStore
  private var store: any ServerStore
  /// What the caller knows as the owner.
  private var head: RealmHead
  private var step = 0

  init(_ kind: StoreKind, seed: UInt64, flaw: SimulationFlaw? = nil) async throws {
    bench = try StoreBench(kind, seed: seed, patience: 60_000, flaw: flaw)
    breaksConnections = kind != .embedded
    random = SeededGenerator(seed: seed)
    store = try bench.store()
    realm = try await store.open(bench.name)
    head = try await realm.own()
    model = StoreModel(bench.name.fileID)
    model.head.epoch = head.epoch
  }

  /// Makes calls.
  mutating func run(steps: Int) async throws {
    for number in 1...steps {
      step = number
      breakConnection()
      try await call()
      #if Postgres
      bench.connector?.fail(at: nil)
      #endif
      try await compare()
    }
  }

  private mutating func breakConnection() {
    #if Postgres
    guard breaksConnections, random.percent(30) else { return }
    bench.connector?.fail(
      at: 1 + random.number(below: 12), random.percent(50) ? .before : .after)
    #endif
  }

  private mutating func call() async throws {
    switch random.number(below: 20) {
    case 0..<11: try await append()
    case 11..<14:
      let file = try await realm.allocateFile(
        for: "user \(random.number(below: 3))", now: ThingEntries.now)
      try check(model.files[file.ident] == nil, "the file \(file.ident) is made twice")
      model.add(file)
    case 14:
      // A call that is repeated may be carried out twice.
      head = try await realm.own()
      try check(head.epoch > model.head.epoch, "the epoch stays \(head.epoch)")
      model.head.epoch = head.epoch
    case 15: try await appendAsFormerOwner()
    case 16:
      await realm.close()
      try await restart(store)
    case 17: try await restart(try bench.restarted())
    case 18:
      #if Postgres
      // A lease that is not given up keeps others out.
      bench.connector?.fail(at: nil)
      #endif
      if breaksConnections {
        await realm.close()
        try await restart(try bench.otherServer())
      }
    default: try makeCheckpoint()
    }
  }

  private mutating func restart(_ store: any ServerStore) async throws {
    self.store = store
    realm = try await store.open(bench.name)
    head = try await realm.own()
    try check(head.epoch > model.head.epoch, "the epoch stays \(head.epoch)")
    model.head.epoch = head.epoch
  }

  private func makeCheckpoint() throws {
    #if Postgres
    guard let realm = realm as? PostgresRealm else { return }
    // It is given up after an error, which the next one makes good.
    do { try realm.makeCheckpoint() } catch { guard case .unavailable = error else { throw error } }
    #endif
  }

  // MARK: Appends

  private mutating func append() async throws {
    let batch = randomBatch()
    try await append(batch, after: head.version, epoch: head.epoch)
  }

  private mutating func appendAsFormerOwner() async throws {
    let batch = randomBatch()
    let isFenced = random.percent(50)
    try await append(
      batch, after: isFenced || head.version == 0 ? head.version : head.version - 1,
      epoch: isFenced ? head.epoch - 1 : head.epoch)
  }

  private mutating func append(
    _ batch: Batch, after version: UInt64, epoch: UInt64
  ) async throws {
    let expected = model.append(batch, after: version, epoch: epoch)
    do throws(StoreError) {
      let found = try await realm.append(batch, after: version, epoch: epoch)
      guard expected == nil, found == model.head else {
        throw StoreError.damaged(
          "\(batch) gives \(String(describing: found)), not "
            + "\(expected.map { "\($0)" } ?? "\(model.head)")")
      }
      head = model.head
    } catch {
      // The texts of what is out of order differ.
      if case .outOfOrder = error, case .outOfOrder? = expected { return }
      try check(error == expected, "\(error), not \(expected.map { "\($0)" } ?? "a version")")
    }
  }

  private mutating func randomBatch() -> Batch {
    var batch = Batch()
    for _ in 0..<random.number(below: 4) {
      let version = head.version + UInt64(batch.entries.count) + 1
      batch.entries.append(ThingEntries.entry(version, salt: random.next() >> 1 | 1))
    }
    if random.percent(5), let last = batch.entries.last {
      batch.entries.append(last)
    }
    let last = head.version + UInt64(batch.entries.count)
    for file in model.files.values.sorted(by: { $0.ident < $1.ident }) where random.percent(40) {
      let changed = changed(file, last)
      batch.files.append(changed)
      let count = Int(last - min(last, changed.reciprocalBase))
      for _ in 0..<random.number(below: 3) where count > 0 {
        batch.reciprocals.append(
          ReciprocalChange(
            file: file.ident, version: last - UInt64(random.number(below: count)),
            changeset: [UInt8(random.number(below: 256))]))
      }
      if random.percent(50) { batch.privates.append(privateChange(of: changed, last)) }
    }
    if random.percent(10) { batch.forgotten = model.files.keys.min().map { [$0] } ?? [] }
    if random.percent(15) { batch.trimsThrough = UInt64(random.number(below: Int(last) + 2)) }
    if random.percent(5) { batch.skipsThrough = UInt64(random.number(below: Int(last) + 1)) }
    return batch
  }

  private mutating func changed(_ old: ClientFile, _ last: UInt64) -> ClientFile {
    var file = old
    file.clientVersion += UInt64(random.number(below: 3))
    if random.percent(30) { file.reciprocalBase = max(file.reciprocalBase, last / 2) }
    if random.percent(30) { file.lockedServerVersion = max(file.lockedServerVersion, last / 2) }
    if random.percent(5) { file.lastSeen = OriginTimestamp(milliseconds: 0) }
    if random.percent(5), file.clientVersion > 0 { file.clientVersion -= 1 }
    file.filters = "[\(random.number(below: 5))]"
    return file
  }

  private mutating func privateChange(
    of file: ClientFile, _ last: UInt64
  ) -> PrivateChange {
    let objects = (0..<random.number(below: 3)).map { number in
      ObjectIdentity(className: "Thing", key: .value(.string("\(number)")))
    }
    var change = PrivateChange(
      file: file.ident,
      version: file.reciprocalBase + 1 + UInt64(random.number(below: Int(last) + 2)),
      timestamp: OriginTimestamp(milliseconds: UInt64(random.number(below: 100))),
      objects: objects, changeset: random.percent(50) ? [] : [3])
    if random.percent(30) {
      change.refusal = PrivateChange.Refusal(
        clientVersion: UInt64(random.number(below: 9)), sent: [4],
        objects: [ObjectIdentity(className: "Thing", key: .value(.int(1)))])
    }
    return change
  }

  // MARK: Comparing

  private func check(_ isAsExpected: Bool, _ difference: @autoclosure () -> String) throws {
    guard !isAsExpected else { return }
    throw Difference(description: "seed \(bench.seed), step \(step): \(difference())")
  }

  private func compare() async throws {
    let snapshot = try await realm.snapshot(atLeast: model.head.version)
    try check(snapshot.head == model.head, "\(snapshot.head), not \(model.head)")
    let things = try ThingEntries.keys(in: snapshot)
    try check(things == model.things, "\(things.count) things, not \(model.things.count)")
    for range in [1..<model.head.version + 2, model.head.base + 1..<model.head.version + 1] {
      let found: Result<[StoredEntry], StoreError>
      do throws(StoreError) {
        found = .success(try await realm.entries(in: range))
      } catch {
        found = .failure(error)
      }
      try check(found == model.entries(in: range), "the entries of \(range): \(found)")
    }
    let files = try await realm.files()
    try check(files == model.files.values.sorted { $0.ident < $1.ident }, "the files: \(files)")
    for file in files {
      let base = file.reciprocalBase / 2
      let reciprocals = try await realm.reciprocals(of: file.ident, after: base)
      try check(
        reciprocals == model.reciprocals(of: file.ident, after: base),
        "the reciprocals of \(file.ident): \(reciprocals)")
      let privates = try await realm.privates(of: file.ident, after: base)
      try check(
        privates == model.privates(of: file.ident, after: base),
        "the private changes of \(file.ident): \(privates)")
    }
  }
}
