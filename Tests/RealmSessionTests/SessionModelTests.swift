// SPDX-License-Identifier: Apache-2.0

// Random steps of several sessions of a file, compared with versions that are plain dictionaries.

import Dispatch
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession

/// All sessions are confined to one queue, so every order of their steps is a legal program.
/// Left out, with tests of their own: transactions that wait for each other
/// (`WriterSchedulerTests`), asynchronous writes and frozen sessions on other threads
/// (`SessionTests`).
struct SessionModelTests {
  /// The numbers of a version by the keys of their objects.
  private typealias Version = [Int64: Int64]

  /// One session, what it shows by the model, and what the calls of its observer describe.
  private final class Peer {
    let session: Session
    var shown: Version
    /// The objects as the observer's calls describe them; nil before the first call.
    var observed: Version?
    var observation: Observation?

    init(_ session: Session, _ shown: Version) {
      self.session = session
      self.shown = shown
    }
  }

  private struct World {
    let directory: TemporaryDirectory
    let shared: SharedFile
    let queue = DispatchQueue(label: "sessions")
    let table: TableKey
    let number: Column
    var random: SeededGenerator
    var newest: Version = [:]
    var peers: [Peer] = []
    var frozen: [(session: Session, version: Version)] = []
    /// The session with the open transaction, and its objects.
    var writer: (peer: Peer, objects: Version)?
    var steps: [String: Int] = [:]

    init(_ seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      directory = try TemporaryDirectory()
      shared = SharedFile.of(try DatabaseFile.open(path: directory.file("model.realm")))
      let writing = try shared.tables(in: shared.file.beginWrite())
      let table = try writing.createTable(named: "class_Counter")
      number = try table.addColumn(named: "number", type: .int)
      self.table = table.key
      _ = try writing.commit()
    }

    func objects(in session: Session) throws -> Version {
      var objects: Version = [:]
      let table =
        if let transaction = session.transaction {
          try #require(try transaction.table(table)).table
        } else {
          try #require(try session.readableTables().table(table))
        }
      var cursor = table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          objects[cluster.key(at: index).rawValue] =
            try cluster.row(at: index).int(number.leafIndex)
        }
      }
      return objects
    }

    mutating func addPeer() throws {
      let options = SessionOptions(
        shared, .queue(queue), reading: try shared.newestTables())
      let session = Session(options)
      try session.startObserving()
      peers.append(Peer(session, newest))
    }

    mutating func step() throws {
      let peer = peers[Int.random(in: 0..<peers.count, using: &random)]
      let isWriter = writer?.peer === peer
      switch Int.random(in: 0..<20, using: &random) {
      case 0...3 where writer == nil:
        try peer.session.beginWrite()
        peer.shown = newest
        writer = (peer, newest)
        note("begin")
      case 0...11 where isWriter: try edit(peer)
      case 12...14 where isWriter:
        try peer.session.commitWrite()
        newest = writer?.objects ?? [:]
        peer.shown = newest
        writer = nil
        note("commit")
      case 15 where isWriter:
        peer.session.cancelWrite()
        writer = nil
        note("cancel")
      case 16...17:
        let isNewer = !isWriter && peer.shown != newest
        let moved = try peer.session.refresh()
        // Versions that have equal objects are a move, too.
        expectTrue(moved || !isNewer)
        if !isWriter {
          peer.shown = newest
          note("refresh")
        }
      case 18 where random.chance(0.3):
        peer.observation?.cancel()
        (peer.observation, peer.observed) = (nil, nil)
        if isWriter { writer = nil }
        peer.session.invalidate()
        peer.shown = newest
        note("invalidate")
      case 19 where peer.observation == nil && !isWriter: try observe(peer)
      case 19 where frozen.count < 4 && !isWriter:
        let tables = try peer.session.readableTables()
        let options = SessionOptions(shared, .frozen(version: tables.version), reading: tables)
        frozen.append((Session(options), peer.shown))
        note("freeze")
      default: return
      }
    }

    private mutating func edit(_ peer: Peer) throws {
      let table = try #require(try peer.session.transaction?.table(self.table))
      let keys = (writer?.objects ?? [:]).keys.sorted()
      let value = Int64(Int.random(in: 0..<5, using: &random))
      if keys.isEmpty || random.chance(0.4) {
        let (key, _) = try table.createObject()
        try table.set(.int(value), number, key)
        writer?.objects[key.rawValue] = value
      } else {
        let key = keys[Int.random(in: 0..<keys.count, using: &random)]
        if random.chance(0.4) {
          try table.delete(ObjectKey(key))
          writer?.objects[key] = nil
        } else {
          try table.set(.int(value), number, ObjectKey(key))
          writer?.objects[key] = value
        }
      }
      peer.session.didMutate()
      note("edit")
    }

    private mutating func observe(_ peer: Peer) throws {
      let reader = self
      peer.observation = try peer.session.observe(
        .results(TableQuery(table)),
        Observation.Handler { [unowned peer] change, _ in
          guard let now = try? reader.objects(in: peer.session) else { return }
          switch change {
          case .initial: peer.observed = now
          case .collection(let changes):
            peer.observed = peer.observed.map { Self.applied(changes, to: $0, now) }
          default: Issue.record("\(change)")
          }
        })
      note("observe")
    }

    /// What an observer that had `old` makes of its changes, where the session shows `now`.
    private static func applied(
      _ changes: ResultChanges, to old: Version, _ now: Version
    ) -> Version {
      let (before, after) = (old.keys.sorted(), now.keys.sorted())
      var result = old
      for index in changes.deletions { result[before[index]] = nil }
      for index in changes.insertions { result[after[index]] = now[after[index]] }
      for index in changes.modifications {
        result[before[index]] = now[before[index]]
      }
      return result
    }

    func check() throws {
      for peer in peers {
        let isWriter = writer?.peer === peer
        let expected = isWriter ? writer?.objects : peer.shown
        try expectEqual(objects(in: peer.session), expected)
        expectEqual(peer.session.isInWrite, isWriter)
      }
      for (session, version) in frozen { try expectEqual(objects(in: session), version) }
    }

    /// Brings all sessions to the newest version; their observers have been notified of it then.
    mutating func settle() throws {
      if let writer {
        writer.peer.session.cancelWrite()
        self.writer = nil
      }
      for peer in peers {
        try peer.session.refresh()
        peer.shown = newest
        if let observed = peer.observed { expectEqual(observed, newest) }
      }
      try check()
    }

    private mutating func note(_ step: String) { steps[step, default: 0] += 1 }
  }

  /// `Session` 2 and 4. The worker is as fast as it likes, so this is `ObserverHub` 2, too.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func sessionsShowWhatPlainVersionsShow(seed: UInt64) throws {
    var world = try World(seed)
    try world.queue.sync {
      for _ in 0..<3 { try world.addPeer() }
      for round in 1...400 {
        try world.step()
        try world.check()
        if round % 40 == 0 { try world.settle() }
      }
      try world.settle()
      let all: Set = [
        "begin", "edit", "commit", "cancel", "refresh", "invalidate", "observe", "freeze",
      ]
      expectEqual(Set(world.steps.keys), all)
      for peer in world.peers { peer.observation?.cancel() }
    }
  }
}
