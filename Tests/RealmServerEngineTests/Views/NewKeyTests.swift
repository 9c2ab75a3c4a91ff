// SPDX-License-Identifier: Apache-2.0

// Two devices in flexible mode that make objects with the same primary key (`Round` 2).

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct NewKeyTests {
  /// What a device does with the object while it is offline.
  enum Action: CaseIterable {
    case make, set, add, append, insertTag, changeAndTakeBack, delete
  }

  /// 98 cases: what two devices do, and which of them is later.
  static let cases: [(first: Action, second: Action, isFirstLater: Bool)] =
    Action.allCases.flatMap { first in
      Action.allCases.flatMap { second in [false, true].map { (first, second, $0) } }
    }

  private let everything = EffectiveQuery(["Thing": "TRUEPREDICATE"])

  private func column(_ name: String, _ table: WritableTable) throws -> Column {
    try #require(table.schema.column(named: name))
  }

  private func perform(_ action: Action, _ value: Int64, _ client: ModelClient) throws {
    try client.write { group in
      let things = try #require(try group.table(named: "class_Thing"))
      let key = try things.findOrCreate(primaryKey: .string("k")).key
      let (count, numbers) = (try column("count", things), try column("numbers", things))
      switch action {
      case .make: break
      case .set: try things.set(.int(value), count, key)
      case .add: try things.add(value, to: count, of: key)
      case .append:
        let list = try things.list(numbers, key)
        try list.insert(.int(value), at: list.count)
        try list.insert(.int(value + 1), at: list.count)
      case .insertTag: try things.set(column("tags", things), key).insert(.string("tag\(value)"))
      case .changeAndTakeBack:
        try things.set(.string("name"), column("name", things), key)
        let list = try things.list(numbers, key)
        try list.insert(.int(value), at: 0)
        try list.remove(at: 0)
      case .delete: try things.delete(key)
      }
    }
  }

  private func upload(
    _ client: ModelClient, _ server: TestServer, _ query: EffectiveQuery? = nil,
    limit: Int = .max
  ) async throws {
    if !client.isOnline { try await client.connect(to: server) }
    guard var upload = try client.upload(limit: limit) else { return }
    upload.query = query
    await expectEqual(server.realm.integrate(upload).code, nil)
  }

  private func download(
    _ client: ModelClient, _ server: TestServer, _ query: EffectiveQuery, _ scratch: ViewScratch
  ) async throws {
    if !client.isOnline { try await client.connect(to: server) }
    let answer = try await server.realm.view(
      for: client.identity.ident, after: client.cursor, query: query, scratch: scratch)
    try client.integrate(try answer.get().round)
  }

  private func makeClients(
    _ server: TestServer, _ queries: [EffectiveQuery], _ scratch: ViewScratch
  ) async throws -> [ModelClient] {
    var clients: [ModelClient] = []
    for (number, query) in queries.enumerated() {
      let file = try await server.realm.allocateFile(for: "\(number)")
      let client = try ModelClient(file, clock: 1000)
      try client.write { try RandomChanges.makeSchema(in: $0) }
      try await upload(client, server)
      try await download(client, server, query, scratch)
      clients.append(client)
    }
    return clients
  }

  @Test(.heavy) func whatTwoDevicesMakeOfANewKeyIsEqual() async throws {
    expectEqual(Self.cases.count, 98)
    for (first, second, isFirstLater) in RandomRuns.some(of: Self.cases) {
      let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
      let clients = try await makeClients(server, [everything, everything], scratch)
      clients[0].clock += isFirstLater ? 200 : 100
      clients[1].clock += isFirstLater ? 100 : 200
      try perform(first, 100, clients[0])
      try perform(second, 200, clients[1])
      for client in clients { try await upload(client, server) }
      // Later changes hit the same elements.
      for round in 0..<2 as Range<Int64> {
        for client in clients { try await download(client, server, everything, scratch) }
        let name = "\(first), \(second), \(isFirstLater), \(round)"
        let expected = try await server.digest()
        for client in clients { try expectEqual(client.digest(), expected, "\(name)") }
        for client in clients { client.clock += 1000 }
        try perform(.append, round, clients[0])
        try perform(.append, round + 10, clients[1])
        for client in clients { try await upload(client, server) }
      }
    }
  }

  /// The later value wins, whichever device is the first to upload.
  @Test(arguments: [false, true]) func theLaterValueOfANewKeyWins(isFirstLater: Bool) async throws {
    let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
    let clients = try await makeClients(server, [everything, everything], scratch)
    clients[0].clock += isFirstLater ? 200 : 100
    clients[1].clock += isFirstLater ? 100 : 200
    try perform(.set, 100, clients[0])
    try perform(.set, 200, clients[1])
    for client in clients { try await upload(client, server) }
    for client in clients {
      try await download(client, server, everything, scratch)
      let objects = try client.read()
      let things = try #require(try objects.table(named: "class_Thing"))
      let row = try #require(try things.findRow(primaryKey: .string("k"))).row
      let count = try #require(things.schema.column(named: "count"))
      try expectEqual(row.value(of: count), .int(isFirstLater ? 100 : 200))
    }
  }

  /// An object that comes into the view of a device that has made one of the same key: the state
  /// that it is sent is stored before, and its upload is merged with that.
  @Test(arguments: [false, true])
  func whatEntersIsMergedWithWhatTheDeviceHasMade(isRestarted: Bool) async throws {
    let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
    let high = EffectiveQuery(["Thing": "count > 10"])
    let clients = try await makeClients(server, [everything, high], scratch)
    for action in [Action.append, .insertTag] { try perform(action, 1, clients[0]) }
    try await upload(clients[0], server)
    try await download(clients[1], server, high, scratch)
    // The second device makes it, as it does not see it, and is offline when it enters its view.
    for action in [Action.append, .insertTag] { try perform(action, 2, clients[1]) }
    try perform(.set, 50, clients[0])
    try await upload(clients[0], server)
    try await download(clients[1], server, high, scratch)
    let ident = clients[1].identity.ident
    let stored = try await server.realm.store.privates(of: ident, after: 0)
    expectEqual(stored.flatMap(\.objects).map(\.key), [.value(.string("k"))])
    #expect(stored.allSatisfy { !$0.changeset.isEmpty })
    if isRestarted {
      try await server.restart()
      try await expectEqual(
        server.realm.store.privates(of: ident, after: 0), stored)
      clients[1].disconnect()
    }
    try await upload(clients[1], server)
    try await download(clients[1], server, high, scratch)
    let expected = try await server.digest()
    try expectEqual(clients[1].digest(), expected)
    // What the device has is acknowledged, and its private changes go.
    try perform(.set, 51, clients[1])
    try await upload(clients[1], server)
    #expect(
      try await server.realm.store.privates(of: ident, after: 0).isEmpty)
  }

  /// Another device makes and erases the object within one round, of which nothing is sent. The
  /// erasure discards what this device has made of it offline, and it comes whole when there is
  /// another one of that key.
  @Test(arguments: [false, true])
  func whatAnUnsentErasureDiscardsComesWhole(isMadeBefore: Bool) async throws {
    let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
    let clients = try await makeClients(server, [everything, everything], scratch)
    try perform(.set, 200, clients[1])
    try perform(.append, 200, clients[1])
    for action in [Action.make, .delete] {
      try perform(action, 100, clients[0])
      try await upload(clients[0], server)
    }
    try await download(clients[1], server, everything, scratch)
    if !isMadeBefore { try await upload(clients[1], server) }
    try await download(clients[0], server, everything, scratch)
    try perform(.make, 100, clients[0])
    try await upload(clients[0], server)
    if isMadeBefore { try await upload(clients[1], server) }
    let expected = try await server.digest()
    for client in clients {
      try await download(client, server, everything, scratch)
      try expectEqual(client.digest(), expected)
    }
  }

  /// A device makes an object, is sent what another has made of it, and writes again before the
  /// server has its first change, or at least before it knows that: nothing of it is dropped if the
  /// query selects the object.
  @Test(arguments: [1, 2])
  func whatIsWrittenMeanwhileStays(uploads: Int) async throws {
    let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
    let low = EffectiveQuery(["Thing": "count <= 10"])
    let clients = try await makeClients(server, [everything, low], scratch)
    for (value, client) in clients.enumerated() {
      try perform(.append, Int64(value), client)
    }
    try await upload(clients[0], server)
    try await download(clients[1], server, low, scratch)
    if uploads == 2 {
      // The object leaves what the device sees, as the server has it.
      try perform(.set, 50, clients[1])
      try await upload(clients[1], server, low)
    }
    try perform(.append, 5, clients[1])
    try await upload(clients[1], server, low)
    expectEqual(server.problems.withLock { $0 }, [])
    try await download(clients[0], server, everything, scratch)
    try await expectEqual(clients[0].digest(), server.digest())
    let things = try #require(try clients[0].read().table(named: "class_Thing"))
    let row = try #require(try things.findRow(primaryKey: .string("k"))).row
    try expectEqual(row.list(#require(things.schema.column(named: "numbers"))).count, 6)
    try await download(clients[1], server, low, scratch)
    let own = try #require(try clients[1].read().table(named: "class_Thing"))
    try expectEqual(own.objectCount(), (uploads == 1 ? 1 : 0))
    if uploads == 1 { try await expectEqual(clients[1].digest(), server.digest()) }
  }

  /// A device makes an object, loses it as others' object of that key leaves its view or is erased,
  /// and makes it again: its later changes are about the object that it has made last.
  @Test(arguments: [Action.set, .delete], [false, true])
  func whatIsMadeAgainBeginsAgain(loss: Action, uploadsBetween: Bool) async throws {
    let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
    let low = EffectiveQuery(["Thing": "count <= 10"])
    let clients = try await makeClients(server, [everything, low], scratch)
    for (value, client) in clients.enumerated() { try perform(.append, Int64(value), client) }
    try await upload(clients[0], server)
    try await download(clients[1], server, low, scratch)
    try perform(loss, 50, clients[0])
    try await upload(clients[0], server)
    try await download(clients[1], server, low, scratch)
    let things = try #require(try clients[1].read().table(named: "class_Thing"))
    try expectEqual(things.objectCount(), 0)
    for value in [5, 8] as [Int64] {
      if uploadsBetween { try await upload(clients[1], server, low) }
      try perform(.append, value, clients[1])
    }
    try await upload(clients[1], server, low)
    expectEqual(server.problems.withLock { $0 }, [])
    for (client, query) in zip(clients, [everything, low]) {
      try await download(client, server, query, scratch)
    }
    try await expectEqual(clients[0].digest(), server.digest())
    let all = try #require(try clients[0].read().table(named: "class_Thing"))
    let row = try #require(try all.findRow(primaryKey: .string("k"))).row
    let numbers = try row.list(#require(all.schema.column(named: "numbers")))
    expectEqual(numbers.count, (loss == .set ? 6 : 4))
    if loss == .delete { try await expectEqual(clients[1].digest(), server.digest()) }
  }

  /// A device makes an object, passes others' entries about it, which it does not see, and changes
  /// it again: the server cannot know what the second change is about, and says so, also if it has
  /// stored the first change already.
  @Test(arguments: [false, true])
  func whatIsDroppedIsReported(isFirstStored: Bool) async throws {
    let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
    let high = EffectiveQuery(["Thing": "count > 10"])
    let clients = try await makeClients(server, [everything, high], scratch)
    for (value, client) in clients.enumerated() {
      try perform(.append, Int64(value), client)
    }
    try await upload(clients[0], server)
    try await download(clients[1], server, high, scratch)
    try perform(.append, 5, clients[1])
    if isFirstStored { try await upload(clients[1], server, high, limit: 1) }
    expectEqual(server.problems.withLock { $0 }, [])
    try await upload(clients[1], server, high)
    let problems = server.problems.withLock { $0 }
    let file = clients[1].identity.ident.rawValue
    expectEqual(problems.count, 1)
    expectEqual(problems.first?.hasPrefix("2 instructions of file \(file) "), true, "\(problems)")
    try await download(clients[1], server, high, scratch)
    try await download(clients[0], server, everything, scratch)
    try await expectEqual(clients[0].digest(), server.digest())
  }

  /// Two devices assign a list, or a dictionary, to one value of any type, in an object of both or
  /// each in one that it makes: the later assignment is what is there, and the other has gone.
  @Test(arguments: [false, true], [false, true])
  func theLaterAssignmentOfACollectionStays(isMap: Bool, isNew: Bool) async throws {
    for isFirstLater in [false, true] {
      let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
      let clients = try await makeClients(server, [everything, everything], scratch)
      if !isNew {
        try perform(.make, 0, clients[0])
        try await upload(clients[0], server)
        try await download(clients[1], server, everything, scratch)
      }
      func value(_ name: String) -> TableValue {
        isMap
          ? .dictionary(TableDictionary([.init(key: name, value: .list([.string(name)]))]))
          : .list([.string(name), .list([.string(name)])])
      }
      for (client, name) in zip(isFirstLater ? clients.reversed() : clients, ["John", "Marie"]) {
        client.clock += name == "John" ? 100 : 200
        try client.write { group in
          let things = try #require(try group.table(named: "class_Thing"))
          let key = try things.findOrCreate(primaryKey: .string("k")).key
          try things.set(value(name), column("tree", things), key)
        }
      }
      for client in clients + clients { try await upload(client, server) }
      for client in clients { try await download(client, server, everything, scratch) }
      for client in clients {
        try await expectEqual(client.digest(), server.digest())
        let things = try #require(try client.read().table(named: "class_Thing"))
        let row = try #require(try things.findRow(primaryKey: .string("k"))).row
        let column = try #require(things.schema.column(named: "tree"))
        try expectEqual(row.value(of: column), value("Marie"))
      }
    }
  }

  /// Two devices make the embedded object of one key of a dictionary, in an object of both or each
  /// in one that it makes: there is one, and it has what each of them has set.
  @Test(arguments: [false, true])
  func theEmbeddedObjectOfOneKeyIsThatOfBoth(isNew: Bool) async throws {
    for isFirstLater in [false, true] {
      let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
      let clients = try await makeClients(server, [everything, everything], scratch)
      if !isNew {
        try perform(.make, 0, clients[0])
        try await upload(clients[0], server)
        try await download(clients[1], server, everything, scratch)
      }
      for (client, isFirst) in zip(clients, [true, false]) {
        client.clock += isFirst == isFirstLater ? 200 : 100
        try client.write { group in
          let things = try #require(try group.table(named: "class_Thing"))
          let parts = try #require(try group.table(named: "class_Part"))
          let key = try things.findOrCreate(primaryKey: .string("k")).key
          let map = try things.dictionary(column("partMap", things), key)
          let (part, _) = try map.setEmbedded(for: "a")
          if isFirst {
            try parts.set(.int(7), column("x", parts), part)
          } else {
            try parts.list(column("texts", parts), part).insert(.string("t"), at: 0)
          }
        }
      }
      for client in clients + clients { try await upload(client, server) }
      for client in clients { try await download(client, server, everything, scratch) }
      for client in clients {
        try await expectEqual(client.digest(), server.digest())
        try client.write { group in
          let parts = try #require(try group.table(named: "class_Part"))
          try expectEqual(parts.objectCount(), 1)
          let part = try #require(try parts.table.key(at: 0))
          let row = try #require(try parts.row(of: part))
          try expectEqual(row.value(of: column("x", parts)), .int(7))
          try expectEqual(parts.list(column("texts", parts), part).count, 1)
        }
      }
    }
  }

  /// A device makes an object that only its next query selects: the round before the bootstrap
  /// leaves it, and the bootstrap brings it whole in one step. Without a next query it goes.
  @Test(arguments: [false, true])
  func aRoundErasesNothingThatTheDueQuerySelects(isDue: Bool) async throws {
    let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
    let high = EffectiveQuery(["Thing": "count > 10"])
    let clients = try await makeClients(server, [high, high], scratch)
    try perform(.append, 1, clients[1])
    try await upload(clients[1], server)
    let download = try await server.realm.view(
      for: clients[1].identity.ident, after: clients[1].cursor, query: high,
      next: isDue ? everything : nil, scratch: scratch
    ).get()
    try clients[1].integrate(download.round)
    let kept = try #require(try clients[1].read().table(named: "class_Thing"))
    try expectEqual(kept.objectCount(), isDue ? 1 : 0)
    guard let bootstrap = download.bootstrap else { return expectFalse(isDue) }
    try clients[1].integrate(
      DownloadBatch(entries: bootstrap.allEntries(), cursors: bootstrap.cursors))
    try await expectEqual(clients[1].digest(), server.digest())
  }

  /// An object that a device never sees, and makes all the same: nothing is refused, and the object
  /// leaves the device.
  @Test func whatADeviceMakesAndDoesNotSeeComesWholeOrGoes() async throws {
    let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
    let high = EffectiveQuery(["Thing": "count > 10"])
    let clients = try await makeClients(server, [everything, high], scratch)
    for value in 0..<3 as Range<Int64> { try perform(.append, value, clients[0]) }
    try await upload(clients[0], server)
    try await download(clients[1], server, high, scratch)
    for value in 5..<7 as Range<Int64> {
      try perform(.append, value, clients[1])
      try await upload(clients[1], server)
    }
    try await download(clients[1], server, high, scratch)
    let things = try #require(try clients[1].read().table(named: "class_Thing"))
    try expectEqual(things.objectCount(), 0)
    // Another device sees what both have added.
    try await download(clients[0], server, everything, scratch)
    try await expectEqual(clients[0].digest(), server.digest())
    let all = try #require(try clients[0].read().table(named: "class_Thing"))
    let row = try #require(try all.findRow(primaryKey: .string("k"))).row
    let numbers = try #require(all.schema.column(named: "numbers"))
    try expectEqual(row.list(numbers).count, 10)
  }
}
