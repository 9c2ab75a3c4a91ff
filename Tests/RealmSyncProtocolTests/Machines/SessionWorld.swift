// SPDX-License-Identifier: Apache-2.0

// Clients and a server in one thread, with a schedule that a seed decides.

import RealmSyncProtocol
import RealmTestSupport

/// Several clients of one realm that write, subscribe, lose connections and wait, at random.
struct SessionWorld {
  var peers: [SessionPeer]
  var realm: FakeRealm
  private var random: SeededGenerator
  private var now: Milliseconds = 0
  private var writes: UInt64 = 0
  private var nextWait: UInt64 = 1

  init(seed: UInt64, mode: SyncMode, number: Int, clients: Int) {
    random = SeededGenerator(seed: seed)
    realm = FakeRealm(mode)
    peers = (0..<clients).map { _ in
      SessionPeer(ProtocolVersion(mode: mode, number: number))
    }
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps {
      now += UInt64.random(in: 0...5_000, using: &random)
      let index = Int.random(in: 0..<peers.count, using: &random)
      switch Int.random(in: 0..<40, using: &random) {
      case 0..<3: write(index)
      case 3 where peers[index].version.mode == .flexible: subscribe(index)
      case 4 where peers[index].socket != nil: peers[index].disconnect(now: now)
      case 5 where peers[index].server != nil:
        peers[index].handleAtSession(
          .refuse(SessionRefusal(.sessionClosed, "busy")), now: now)
      case 6: wait(index)
      default: _ = proceed(index)
      }
    }
  }

  /// Lets everything come to an end without faults, and with subscriptions and waits for all.
  mutating func finish() {
    for index in peers.indices {
      if peers[index].version.mode == .flexible { subscribe(index) }
      wait(index)
    }
    for _ in 0..<100_000 {
      now += 10
      var isBusy = false
      for index in peers.indices where proceed(index) { isBusy = true }
      if isBusy { continue }
      guard let next = peers.flatMap(\.timers.values).min() else { return }
      now = max(now, next)
    }
    peers[0].problems.append("there is no end")
  }

  private mutating func write(_ index: Int) {
    writes += 1
    peers[index].file.write(Array("\(writes)".utf8))
    announce(index)
  }

  private mutating func subscribe(_ index: Int) {
    peers[index].file.subscribe()
    announce(index)
  }

  private mutating func announce(_ index: Int) {
    peers[index].handle(.version(session: 1, peers[index].file.version), now: now)
  }

  private mutating func wait(_ index: Int) {
    for kind in [SessionWait.upload, .download] {
      peers[index].waits[nextWait] = 0
      peers[index].handle(.wait(session: 1, kind, id: nextWait), now: now)
      nextWait += 1
    }
  }

  /// Does one thing that a client or its session at the server can do. Returns whether there was
  /// one.
  private mutating func proceed(_ index: Int) -> Bool {
    var peer = peers[index]
    var choices: [(inout SessionPeer, inout FakeRealm) -> Void] = []
    let (now, coin) = (now, Int.random(in: 0..<8, using: &random))
    if peer.opening != nil { choices.append { peer, _ in peer.connect(now: now) } }
    // The order of a dictionary is another one in each run.
    let due = peer.timers.filter { $0.value <= now }.keys
    if let timer = due.min(by: { "\($0)" < "\($1)" }) {
      choices.append { peer, _ in
        peer.timers[timer] = nil
        peer.handle(.timer(timer, jitter: 0), now: now)
      }
    }
    if !peer.toServer.isEmpty { choices.append { peer, _ in peer.deliverToServer(now: now) } }
    if !peer.toClient.isEmpty { choices.append { peer, _ in peer.deliverToClient(now: now) } }
    if let (number, request) = peer.request {
      choices.append { peer, _ in
        peer.request = nil
        peer.reply = (number, peer.file.carryOut(request))
      }
    }
    if let (number, reply) = peer.reply {
      choices.append { peer, _ in
        peer.reply = nil
        peer.handle(.stored(session: 1, request: number, reply), now: now)
      }
    }
    if let (number, request) = peer.serverRequest {
      choices.append { peer, realm in
        peer.serverRequest = nil
        let reply = realm.carryOut(request, &peer.view, random: coin)
        peer.handleAtSession(.stored(request: number, reply), now: now)
      }
    } else if peer.serverSession != nil, peer.toServer.isEmpty || coin == 0 {
      // The news of a new version comes late.
      let count = peer.serverLog.count
      peer.handleAtSession(.head(realm.head), now: now)
      peers[index] = peer
      if peer.serverLog.count > count { return true }
    }
    guard let choice = choices.randomElement(using: &random) else { return false }
    choice(&peer, &realm)
    peers[index] = peer
    return true
  }
}
