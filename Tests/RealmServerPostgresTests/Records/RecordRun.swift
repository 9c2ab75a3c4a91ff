// SPDX-License-Identifier: Apache-2.0

// Random changes of records by two servers, compared with a model.

#if Postgres
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmServerPostgres

/// A run of random changes with a seed.
struct RecordRun {
  /// A difference between the records of a server and the model.
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  /// One change, as it is made to records and to the model.
  private enum Change: Hashable {
    case count(String)
    case set(String, String?, [UInt8]?)
    case remove(String)
    case note(Int64, String?)

    func make(in group: WriteGroup) throws(StorageError) {
      switch self {
      case .count(let key): try ThingRecords.count(key, in: group)
      case .set(let key, let text, let bytes):
        try ThingRecords.set(text, bytes, of: key, in: group)
      case .remove(let key): try ThingRecords.remove(key, in: group)
      case .note(let key, let text): try ThingRecords.note(text, key, in: group)
      }
    }

    func make(in model: inout ThingRecords.Content) {
      switch self {
      case .count(let key):
        model.things[key, default: .init(count: 0)].count += 1
      case .set(let key, let text, let bytes):
        model.things[key, default: .init(count: 0)].text = text
        model.things[key]?.bytes = bytes
      case .remove(let key): model.things[key] = nil
      case .note(let key, let text): model.notes[key] = text
      }
    }
  }

  private let bench: StoreBench
  private let kind: StoreKind
  private var random: SeededGenerator
  private var model = ThingRecords.Content()
  private var servers: [StoredRecords]
  private var serverCount = 2
  private var step = 0

  init(_ kind: StoreKind, seed: UInt64, flaw: SimulationFlaw? = nil) throws {
    self.kind = kind
    bench = try StoreBench(kind, seed: seed, patience: 60_000, flaw: flaw)
    random = SeededGenerator(seed: seed)
    servers = []
    for number in 0..<2 { servers.append(try StoredRecords(bench, server: number)) }
    try servers[0].change(ThingRecords.make)
  }

  mutating func run(steps: Int) throws {
    for number in 1...steps {
      step = number
      if random.percent(30) {
        bench.connector?.fail(
          at: 1 + random.number(below: 12), random.percent(50) ? .before : .after)
      }
      try call()
      bench.connector?.fail(at: nil)
      if random.percent(50) { try compare(random.number(below: 2)) }
    }
    for server in 0..<2 { try compare(server) }
  }

  private mutating func call() throws {
    let server = random.number(below: 2)
    switch random.number(below: 20) {
    case 0..<13: try change(by: server)
    case 13, 14: try refuse(by: server)
    case 15: servers[server] = try StoredRecords(bench, server: server)
    case 16:
      // One that has no replica yet.
      servers[server] = try StoredRecords(bench, server: serverCount)
      serverCount += 1
    case 17: try servers[server].store.makeCheckpoint(ofRecordsOf: bench.name.app)
    default: _ = try servers[server].takeChanges()
    }
  }

  private mutating func changes() -> [Change] {
    (0...random.number(below: 3)).map { _ in
      let key = "key \(random.number(below: 5))"
      return switch random.number(below: 6) {
      case 0, 1: .count(key)
      case 2:
        .set(
          key, random.percent(30) ? nil : "text \(random.number(below: 9))",
          random.percent(50) ? nil : [UInt8(random.number(below: 256))])
      case 3: .remove(key)
      case 4: .note(Int64(random.number(below: 4)), "note \(random.number(below: 9))")
      default: .note(Int64(random.number(below: 4)), nil)
      }
    }
  }

  /// Changes by a server; sometimes the other one comes between its reading and its writing.
  private mutating func change(by server: Int) throws {
    let changes = changes()
    let others = random.percent(30) ? self.changes() : []
    let (records, other) = (servers[server], servers[1 - server])
    var runs = 0
    try records.change { (group) throws(StorageError) in
      runs += 1
      if runs == 1, !others.isEmpty {
        do throws(StoreError) {
          try other.change { (group) throws(StorageError) in
            for change in others { try change.make(in: group) }
            return true
          }
        } catch {
          throw .corrupted("\(error)")
        }
      }
      for change in changes { try change.make(in: group) }
      return true
    }
    for change in others + changes { change.make(in: &model) }
  }

  /// Makes changes that are given up.
  private mutating func refuse(by server: Int) throws {
    let changes = changes()
    let throwsError = random.percent(50)
    do throws(StoreError) {
      try servers[server].change { (group) throws(StorageError) in
        for change in changes { try change.make(in: group) }
        if throwsError { throw .limitExceeded("a test") }
        return false
      }
    } catch {
      guard error == .storage(.limitExceeded("a test")) else { throw error }
    }
  }

  private func compare(_ server: Int) throws {
    let found = try ThingRecords.content(of: servers[server])
    guard found != model else { return }
    throw Difference(
      description: "seed \(bench.seed), step \(step): server \(server) has \(found), not \(model)")
  }
}

extension PostgresStore {
  /// Makes a checkpoint of the users of an app now.
  fileprivate func makeCheckpoint(ofRecordsOf app: String) throws {
    let realm = try opened(RealmName(app: app + "/users"), .records(RecordNews()))
    // It is given up after an error, which the next one makes good.
    do { try realm.makeCheckpoint() } catch { guard case .unavailable = error else { throw error } }
  }
}

extension ThingRecords.Content.Thing {
  init(count: Int64) { self.init(count: count, text: nil, bytes: nil) }
}
#endif
