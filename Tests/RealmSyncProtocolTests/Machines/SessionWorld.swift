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

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      now += UInt64.random(in: 0...5_000, using: &random)
      let index = Int.random(in: 0..<peers.count, using: &random)
      switch Int.random(in: 0..<40, using: &random) {
      case 0..<3: write(index)
      case 3 where peers[index].version.mode == .flexible: subscribe(index)
      case 4 where peers[index].isConnected: peers[index].disconnect(now: now)
      case 5 where peers[index].server != nil:
        peers[index].handleAtServer(.refuse(SessionRefusal(.sessionClosed, "busy")))
      case 6: wait(index)
      default: _ = try proceed(index)
      }
    }
  }

  /// Lets everything come to an end without faults, and with subscriptions and waits for all.
  mutating func finish() throws {
    for index in peers.indices {
      if peers[index].version.mode == .flexible { subscribe(index) }
      wait(index)
    }
    for _ in 0..<100_000 {
      now += 10
      var isBusy = false
      for index in peers.indices where try proceed(index) { isBusy = true }
      if !isBusy { return }
    }
    peers[0].problems.append("there is no end")
  }

  private mutating func write(_ index: Int) {
    writes += 1
    peers[index].file.write(Array("\(writes)".utf8))
    peers[index].handle(.localVersion(peers[index].file.version), now: now)
  }

  private mutating func subscribe(_ index: Int) {
    peers[index].file.subscribe()
    peers[index].handle(.localVersion(peers[index].file.version), now: now)
    peers[index].handle(
      .subscriptionSets(peers[index].file.sets, version: peers[index].file.version), now: now)
  }

  private mutating func wait(_ index: Int) {
    for kind in [SessionWait.upload, .download] {
      peers[index].waits[nextWait] = 0
      peers[index].handle(.wait(kind, id: nextWait), now: now)
      nextWait += 1
    }
  }

  /// Does one thing that a client or its session at the server can do. Returns whether there was
  /// one.
  private mutating func proceed(_ index: Int) throws -> Bool {
    var peer = peers[index]
    var choices: [(inout SessionPeer, inout FakeRealm) throws -> Void] = []
    let (now, coin) = (now, Int.random(in: 0..<8, using: &random))
    if !peer.isConnected || peer.wantsSession {
      choices.append { peer, _ in peer.connect(now: now) }
    }
    if peer.isSuspended {
      choices.append { peer, _ in
        peer.isSuspended = false
        peer.handle(.retry, now: now)
      }
    }
    if !peer.toServer.isEmpty { choices.append { peer, _ in try peer.deliverToServer() } }
    if !peer.toClient.isEmpty { choices.append { peer, _ in try peer.deliverToClient(now: now) } }
    if let (number, request) = peer.request {
      choices.append { peer, _ in
        peer.request = nil
        peer.reply = (number, peer.file.carryOut(request))
      }
    }
    if let (number, reply) = peer.reply {
      choices.append { peer, _ in
        peer.reply = nil
        peer.handle(.stored(request: number, reply), now: now)
      }
    }
    if let (number, request) = peer.serverRequest {
      choices.append { peer, realm in
        peer.serverRequest = nil
        let reply = realm.carryOut(request, &peer.view, random: coin)
        peer.handleAtServer(.stored(request: number, reply))
      }
    } else if peer.server != nil, peer.toServer.isEmpty || coin == 0 {
      // The news of a new version comes late.
      let count = peer.serverLog.count
      peer.handleAtServer(.head(realm.head))
      peers[index] = peer
      if peer.serverLog.count > count { return true }
    }
    guard let choice = choices.randomElement(using: &random) else { return false }
    try choice(&peer, &realm)
    peers[index] = peer
    return true
  }
}
