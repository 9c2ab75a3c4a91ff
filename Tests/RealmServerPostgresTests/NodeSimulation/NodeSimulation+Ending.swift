// SPDX-License-Identifier: Apache-2.0

// A whole run, and its end: troubles are over, and all clients and nodes have the same.

#if Postgres
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import RealmTables

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerPostgres

extension NodeSimulation {
  /// Plays a run to its end. Returns what was wrong.
  func play(events: Int = 400) -> [String] {
    GlobalExecutorHook.run(executor) {
      for node in nodes.indices { start(node) }
      var count = 0
      while count < events, isWell {
        takeEvent()
        count += 1
      }
      if isWell { settle() }
      if isWell { checkSessions() }
      if isWell { compare() }
      end()
      return problems
    }
  }

  private func repair() {
    trace?("troubles are over")
    isTroubled = false
    (cutPairs, cutOff, paused) = ([], [], [:])
    while !late.isEmpty { arriveLate() }
    // One that has begun to stop does not serve any more.
    for process in running where process.isStopping { kill(process) }
    for node in nodes.indices where nodes[node] == nil { start(node) }
    advance(by: Milliseconds(settings.leaseMilliseconds) + 1)
  }

  /// Lets all clients send what they have and get what the others have sent.
  private func settle() {
    repair()
    // A client that is forgotten comes back after three minutes, when it is silent for too long.
    let end = now + 60_000
    for round in 0..<20_000 where now < end {
      guard isWell else { return }
      let isBusy = deliver() || runJobs()
      drainKilled()
      if isBusy, !round.isMultiple(of: 100) { continue }
      for process in running { executor.inProcess(process.number) { process.followHeads() } }
      if !isBusy { advance(by: 20) }
      let isSettled = clients.allSatisfy { hasAll($0) && ($0.isSettled || isPassive($0)) }
      if isSettled, !isBusy, !isInserting { return }
      for client in clients { push(client) }
      if random.percent(10) { trim() }
    }
    let late = clients.filter { !hasAll($0) || !($0.isSettled || isPassive($0)) }
    fail("there is no end: \(late.map(\.state))")
  }

  /// Once all nodes have heard of the owner, sessions are there alone.
  private func checkSessions() {
    for _ in 0..<3 {
      advance(by: Milliseconds(settings.pollMilliseconds) + 1)
      for process in running { executor.inProcess(process.number) { process.followHeads() } }
      while runJobs() || deliver() {}
    }
    let realm = realm.fileID
    for process in running where process.number != rules.owner {
      guard let registry = process.parts?.app.registry else { continue }
      let files = clients.compactMap(\.file)
      if files.contains(where: { registry.session(of: $0, in: realm) != nil }) {
        fail("\(process.name) has a session, and is not the owner")
      }
    }
  }

  /// Whether a node that runs was asked for a document, and has not answered.
  private var isInserting: Bool {
    inserts.contains { insert in
      insert.isUnderWay && running.contains { $0.number == insert.process }
    }
  }

  private func hasAll(_ client: CountingClient) -> Bool {
    client.isAcknowledged && client.things == client.view(of: rules.content.things)
  }

  /// Whether a client asks for nothing in the end: it has to hear of what it lacks, or that its
  /// session is over.
  private func isPassive(_ client: CountingClient) -> Bool { client.number.isMultiple(of: 2) }

  private func push(_ client: CountingClient) {
    guard client.isOnline else { return connect(client, to: random.pick(running)) }
    guard !isPassive(client) else { return }
    client.upload()
    if client.pending.isEmpty, client.lastMark == client.answeredMark, !hasAll(client) {
      client.mark()
    } else if client.isReady, client.pending.isEmpty, client.lastMark == 0 {
      client.mark()
    }
  }

  /// Compares clients, nodes and the database.
  private func compare() {
    let changeCount = clients.reduce(0) { $0 + $1.lastVersion }
    if rules.changeCount != changeCount {
      fail("the database has \(rules.changeCount) changes, and \(changeCount) were made")
    }
    let made = clients.reduce(into: Set<String>()) { $0.formUnion($1.made) }
    let all = rules.content.things
    let confirmed = made.union(inserts.filter(\.isConfirmed).map(\.key))
    let missing = confirmed.subtracting(rules.content.erased).subtracting(all.keys)
    if !missing.isEmpty { fail("the database lacks \(missing)") }
    compareErasures()
    // A document that was not confirmed may be there.
    let possible = made.union(inserts.map(\.key)).union([CountingClient.counter])
    let others = Set(all.keys).subtracting(possible)
    if !others.isEmpty { fail("the database has \(others), which nobody made") }
    let count = all[CountingClient.counter]?.count ?? 0
    if count != Int64(made.count) { fail("\(made.count) were made, and \(count) are counted") }
    for process in running where things(of: process).map({ $0 != all }) ?? false {
      fail("\(process.name) has other things than the database")
    }
    for client in clients where client.things != client.view(of: all) {
      fail("\(client.name) has \(client.things), and not \(client.view(of: all))")
    }
  }

  /// Compares what clients have erased with what the history erases.
  private func compareErasures() {
    let asked = clients.reduce(into: Set<String>()) { $0.formUnion($1.erased) }
    let done = rules.content.erased
    if !done.isSubset(of: asked) { fail("the database erased \(done.subtracting(asked))") }
    // What a client changes of an object that leaves its view meanwhile is dropped (P4 B.4).
    guard mode == .partition, !asked.isSubset(of: done) else { return }
    fail("the database has \(asked.subtracting(done)), which were erased")
  }

  /// The things in the replica of a process.
  private func things(of process: SimulatedProcess) -> [String: ClientContent.Thing]? {
    let found = Locked<Result<[String: ClientContent.Thing], any Error>?>(nil)
    guard let app = process.parts?.app else { return nil }
    executor.inProcess(process.number) {
      _ = Task {
        do {
          let realm = try await app.realms.openReader(self.realm).realm
          let things = try Self.things(in: await realm.newestSnapshot())
          found.withLock { $0 = .success(things) }
        } catch {
          found.withLock { $0 = .failure(error) }
        }
      }
    }
    while found.withLock({ $0 == nil }), runJobs() || deliver() {}
    switch found.withLock({ $0 }) {
    case .success(let things): return things
    case .failure(let error): fail("\(process.name) does not read: \(error)")
    case nil: fail("\(process.name) does not answer")
    }
    return nil
  }

  private static func things(
    in snapshot: RealmSnapshot
  ) throws -> [String: ClientContent.Thing] {
    guard let table = try snapshot.objects.table(named: "class_Thing") else { return [:] }
    func number(_ name: String, of key: ObjectKey) throws -> Int64 {
      guard let column = table.schema.column(named: name),
        case .int(let number)? = try table.row(of: key)?.value(of: column)
      else { return 0 }
      return number
    }
    var things: [String: ClientContent.Thing] = [:]
    for position in 0..<(try table.objectCount()) {
      guard let key = try table.key(at: position),
        case .value(.string(let text))? = try table.identity(of: key)?.key
      else { continue }
      things[text] = ClientContent.Thing(
        group: try number("group", of: key), count: try number("count", of: key))
    }
    return things
  }

  /// Ends all processes.
  private func end() {
    isTroubled = false
    for next in late { next.base.close() }
    late = []
    for process in running { kill(process) }
    drainKilled()
  }
}
#endif
