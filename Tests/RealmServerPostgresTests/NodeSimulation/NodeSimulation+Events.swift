// SPDX-License-Identifier: Apache-2.0

// The events of a run.
//
// Left out: rules and roles, documents that are read or watched, triggers and records; several
// realms, and realms that are moved or exported; databases that go back (a restored backup, a
// standby that lacks commits); disks that are full or damaged, and machines that stop: a killed
// process leaves its files as they are. A process that waits for the database does
// nothing else meanwhile but to follow heads, although others of its threads could. Statements of
// one exchange with the database are not interrupted by those of others; two transactions exclude
// each other.

#if Postgres
import RealmFormats
import RealmSyncProtocol
import RealmTestSupport

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerPostgres

extension NodeSimulation {
  /// Lets the next event happen.
  func takeEvent() {
    eventCount += 1
    for (number, end) in paused where end <= eventCount { paused[number] = nil }
    switch random.number(below: 1_000) {
    case ..<500: if !runJobs(), !deliver() { pass() }
    case ..<720: if !deliver(), !runJobs() { pass() }
    case ..<880: letClientAct()
    case ..<930: followHeads()
    case ..<970: advance(by: Milliseconds(1 + random.number(below: 20)))
    default: takeTrouble()
    }
    drainKilled()
    checkReplicas()
  }

  private func takeTrouble() {
    guard isTroubled else { return }
    switch random.number(below: 26) {
    case ..<3: loseClient()
    case ..<5: cutNodes()
    case 5: cutPairs = cutPairs.filter { _ in random.percent(50) }
    case 6: cutFromDatabase()
    case ..<9: cutOff = cutOff.filter { _ in random.percent(30) }
    case 9: failOver()
    case ..<12: killNode()
    case ..<16: startNode()
    case 16: pauseNode()
    case 17: advance(by: Milliseconds(settings.leaseMilliseconds / 2))
    case 18: moveClock()
    case 19: closeRealms()
    case 20: stopNode()
    case ..<23: trim()
    default: arriveLate()
    }
  }

  // MARK: Ordinary events

  /// Runs some of the waiting jobs. Returns whether there are any.
  func runJobs() -> Bool {
    for count in 0..<1 + random.number(below: 8) {
      let ready = executor.ready(except: waiting + paused.keys)
      guard !ready.isEmpty else { return count > 0 }
      let index = random.pick(ready)
      trace?("a job of \(executor.process(at: index)) of \(ready.count)")
      executor.run(at: index)
    }
    return true
  }

  /// Lets a message arrive. Returns whether there is one.
  func deliver() -> Bool {
    var ends: [(SimulatedChannel, SimulatedChannel.End)] = []
    for connection in connections {
      for end in SimulatedChannel.End.allCases where connection.channel.hasItems(to: end) {
        ends.append((connection.channel, end))
      }
    }
    guard !ends.isEmpty else { return false }
    let (channel, end) = random.pick(ends)
    trace?("channel \(channel.number) to its \(end): \(channel.next(to: end))")
    channel.deliver(to: end)
    return true
  }

  /// Lets time pass until the next sleep ends, or a while.
  func pass() {
    let next = running.compactMap(\.nextWake).min()
    let pause = Milliseconds(1 + random.number(below: 200))
    advance(by: min(pause, next.map { $0 > now ? $0 - now : 1 } ?? pause))
  }

  func letClientAct() {
    guard !random.percent(6) else { return insertDocument() }
    let client = random.pick(clients)
    guard client.isOnline else {
      guard !running.isEmpty else { return }
      return connect(client, to: random.pick(running))
    }
    if mode == .flexible, random.percent(8) {
      let groups = CountingClient.groups.filter { _ in random.percent(50) }
      trace?("\(client.name) asks for \(groups)")
      client.ask(for: Set(groups))
    } else if client.pending.count < 3, random.percent(40) {
      letClientWrite(client)
    } else {
      trace?("\(client.name) uploads")
      client.upload()
    }
  }

  private func letClientWrite(_ client: CountingClient) {
    let changeable = random.percent(60) ? client.changeable : []
    guard !changeable.isEmpty else {
      trace?("\(client.name) writes")
      return client.write()
    }
    let erased = changeable.filter(isErased)
    // Often one that another client has erased, or one of a few, which others change, too.
    let few = erased.isEmpty ? Array(changeable.prefix(4)) : erased
    let key = random.pick(random.percent(70) ? few : changeable)
    if random.percent(35) {
      trace?("\(client.name) erases \(key)")
      client.erase(key)
      count(erased.contains(key) ? .repeatedErasures : .erasures)
    } else {
      let group = Int64(random.number(below: CountingClient.groups.count))
      trace?("\(client.name) moves \(key) to \(group)")
      client.move(key, to: group)
      if erased.contains(key) { count(.lateMoves) }
    }
  }

  /// Whether a client has erased an object; others may have it still.
  private func isErased(_ key: String) -> Bool { clients.contains { $0.erased.contains(key) } }

  private func insertDocument() {
    guard !running.isEmpty else { return }
    let process = random.pick(running)
    guard let documents = process.parts?.documents else { return }
    let (place, group) = (inserts.count, random.number(below: CountingClient.groups.count))
    let key = "document \(place)"
    inserts.append(Insert(key: key, process: process.number))
    trace?("\(process.name) is asked for \(key)")
    executor.inProcess(process.number) {
      _ = Task { [self] in
        do {
          _ = try await documents.call("insertOne", [document(key, group)], user: nil)
          inserts[place].isConfirmed = true
          count(.documents)
          if rules.content.things[key] == nil, !rules.content.erased.contains(key) {
            fail("\(key) is confirmed, and the database lacks it")
          }
        } catch {
          trace?("\(process.name) does not insert \(key): \(error)")
        }
        inserts[place].isUnderWay = false
      }
    }
  }

  private func document(_ key: String, _ group: Int) throws -> BSONValue {
    let partition = mode == .partition ? #","_partition":"home""# : ""
    return try ExtendedJSONReader.parse(
      """
      {"database":"db","collection":"Thing","document":{"_id":"\(key)","group":\(group),\
      "count":0\(partition)}}
      """)
  }

  func followHeads() {
    let able = running.filter { !$0.isFollowing && paused[$0.number] == nil }
    guard !able.isEmpty else { return }
    let process = random.pick(able)
    trace?("\(process.name) follows heads")
    executor.inProcess(process.number) { process.followHeads() }
  }

  // MARK: Troubles

  private func loseClient() {
    let client = random.pick(clients)
    guard let channel = client.channel else { return }
    count(.lostClients)
    trace?("\(client.name) is cut")
    if random.percent(30) {
      client.disconnect()
    } else {
      channel.cut { random.number(below: $0 + 1) }
    }
  }

  private func cutNodes() {
    let first = random.number(below: nodes.count)
    let second = (first + 1 + random.number(below: nodes.count - 1)) % nodes.count
    count(.cutNodes)
    trace?("nodes \(first) and \(second) are cut")
    cut { Set($0) == [first, second] }
    if random.percent(50) { cutPairs.append([first, second]) }
  }

  private func cutFromDatabase() {
    let node = random.number(below: nodes.count)
    count(.cutDatabase)
    trace?("node \(node) is cut off")
    cutOff.append(node)
    if random.percent(50) { nodes[node]?.breakLinks() }
  }

  private func failOver() {
    count(.failovers)
    trace?("the database fails over")
    for process in running { process.breakLinks() }
    if !late.isEmpty { arriveLate() }
  }

  private func killNode() {
    guard running.count > 1 else { return }
    count(.kills)
    kill(random.pick(running))
  }

  func startNode() {
    let stopped = nodes.indices.filter { nodes[$0] == nil && !cutOff.contains($0) }
    guard !stopped.isEmpty else { return }
    start(random.pick(stopped))
  }

  private func pauseNode() {
    guard let process = running.isEmpty ? nil : random.pick(running) else { return }
    count(.pauses)
    trace?("\(process.name) stands still")
    paused[process.number] = eventCount + 20 + random.number(below: 60)
    if random.percent(70) { advance(by: Milliseconds(settings.leaseMilliseconds) + 1) }
  }

  private func moveClock() {
    if random.percent(30) {
      count(.databaseClocks)
      trace?("the clock of the database moves")
      database.advance(by: Int64(settings.leaseMilliseconds) + 1)
    } else if !running.isEmpty {
      count(.nodeClocks)
      let process = random.pick(running)
      trace?("the clock of \(process.name) moves")
      process.lead += Milliseconds(random.number(below: 2 * settings.leaseMilliseconds))
      executor.inProcess(process.number) { process.wakeSleepers() }
    }
  }

  private func closeRealms() {
    guard !running.isEmpty else { return }
    let process = random.pick(running)
    count(.closedRealms)
    trace?("\(process.name) closes its realms")
    guard let realms = process.parts?.app.realms else { return }
    executor.inProcess(process.number) { _ = Task { await realms.closeAll() } }
  }

  private func stopNode() {
    guard running.count > 1 else { return }
    let process = random.pick(running)
    count(.stops)
    trace?("\(process.name) stops")
    executor.inProcess(process.number) { process.beginStop() }
  }

  func trim() {
    guard !running.isEmpty else { return }
    let process = random.pick(running)
    trace?("\(process.name) trims")
    guard let app = process.parts?.app else { return }
    executor.inProcess(process.number) {
      _ = Task { [self] in
        do throws(StoreError) {
          let realm = try await app.realms.openReader(self.realm).realm
          guard await realm.isOwner else { return }
          let trimmed = try await realm.trim()
          if trimmed.versions > 0 { count(.trims) }
        } catch {
          note(error, process)
        }
      }
    }
  }

  // MARK: Checks

  /// A replica has no version that the database lacks.
  private func checkReplicas() {
    guard eventCount.isMultiple(of: 50) else { return }
    for process in running where !waiting.contains(process.number) {
      guard let realm = process.parts?.store.known(self.realm.fileID),
        let state = try? realm.replica.read().state
      else { continue }
      if !rules.has(state.version, state.salt) {
        fail("the replica of \(process.name) has version \(state.version) for itself")
      }
    }
  }
}
#endif
