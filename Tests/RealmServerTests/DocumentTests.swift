// SPDX-License-Identifier: Apache-2.0

// Collections over real sockets: each call of the SDK, and devices that see what calls have
// written.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct DocumentTests {
  private static func todos(_ device: AppDevice) -> MongoCollection {
    device.user.mongoClient("mongodb-atlas").database(named: "db").collection(withName: "Todo")
  }

  /// The realm of a device with all todos that its user may read.
  @MainActor private static func open(_ device: AppDevice) async throws -> Realm {
    var configuration = device.user.flexibleSyncConfiguration(
      clientResetMode: .manual(),
      initialSubscriptions: { subscriptions in
        subscriptions.append(QuerySubscription<Todo>(name: "all"))
      })
    configuration.objectTypes = [Todo.self]
    return try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
  }

  /// Waits until a device has the todos of these names.
  @MainActor private static func wait(for names: Set<String>, in realm: Realm) async throws {
    for _ in 0..<6_000 {
      await realm.asyncRefresh()
      if Set(realm.objects(Todo.self).map(\.name)) == names { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    expectEqual(Set(realm.objects(Todo.self).map(\.name)), names)
  }

  private static func names(_ documents: [Document]) -> [String?] {
    documents.map { $0["name"]??.stringValue }
  }

  private static let file = #"""
    {"id":"todos","mode":"development","sync":"flexible","providers":{"anon-user":{}}}
    """#

  @Test @MainActor func devicesAndCallsHaveTheSameObjects() async throws {
    let server = try await RunningServer(file: Self.file)
    let (ann, bob) = (try await AppDevice(server, "ann"), try await AppDevice(server, "bob"))
    let todos = Self.todos(bob)
    // Before any device has declared the class.
    let id = try await todos.insertOne(["name": "inserted", "owner": "bob"])
    let realm = try await Self.open(ann)
    try await Self.wait(for: ["inserted"], in: realm)
    expectEqual(realm.objects(Todo.self).first?._id, id.objectIdValue)
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "written", "owner": "ann"])) }
    try await realm.syncSession?.wait(for: .upload)
    try await expectEqual(
      Self.names(todos.find(filter: [:], options: FindOptions(nil, nil, [["name": -1]]))),
      ["written", "inserted"])
    let result = try await todos.updateManyDocuments(
      filter: ["owner": "ann"], update: ["$set": ["name": "changed"]])
    expectEqual(result.matchedCount, 1)
    expectEqual(result.modifiedCount, 1)
    expectTrue(result.documentId == nil)
    try await Self.wait(for: ["inserted", "changed"], in: realm)
    try await expectEqual(todos.deleteOneDocument(filter: ["_id": id]), 1)
    try await Self.wait(for: ["changed"], in: realm)
    #expect(ann.errors.withLock { $0.isEmpty })
    try await server.stop()
  }

  @Test func eachCallHasItsResult() async throws {
    let server = try await RunningServer(file: Self.file)
    let todos = Self.todos(try await AppDevice(server, "ann"))
    let ids = (1...3).map { _ in ObjectId.generate() }
    let made = try await todos.insertMany(
      ids.enumerated().map { ["_id": .objectId($1), "name": .string("t\($0)"), "owner": "x"] })
    expectEqual(made, ids.map { .objectId($0) })
    try await expectEqual(todos.count(filter: [:]), 3)
    try await expectEqual(todos.count(filter: [:], limit: 2), 2)
    let options = FindOptions(1, ["name": 1, "_id": 0], [["name": -1]])
    try await expectEqual(todos.find(filter: ["owner": "x"], options: options), [["name": "t2"]])
    try await expectEqual(
      todos.findOneDocument(filter: ["name": ["$regex": "^T1$", "$options": "i"]])?["_id"],
      .some(.objectId(ids[1])))
    try await expectEqual(todos.findOneDocument(filter: ["name": "none"]), nil)
    let groups = try await todos.aggregate(pipeline: [
      ["$group": ["_id": "$owner", "count": ["$sum": 1]]]
    ])
    expectEqual(groups.count, 1)
    expectEqual(groups.first?["count"]??.asInt(), 3)
    let upserted = try await todos.updateOneDocument(
      filter: ["name": "new"], update: ["$set": ["owner": "y"]], upsert: true)
    expectEqual(upserted.matchedCount, 0)
    expectTrue(upserted.documentId?.objectIdValue != nil)
    let before = try await todos.findOneAndUpdate(
      filter: ["name": "new"], update: ["$set": ["name": "newer"]])
    expectEqual(before?["name"], .some("new"))
    let after = try await todos.findOneAndReplace(
      filter: ["name": "newer"], replacement: ["name": "newest"],
      options: FindOneAndModifyOptions(["name": 1, "owner": 1, "_id": 0], [], false, true))
    expectEqual(after, ["name": "newest", "owner": ""])
    try await expectEqual(
      todos.findOneAndDelete(filter: ["name": "newest"])?["name"], .some("newest"))
    try await expectEqual(todos.deleteOneDocument(filter: ["name": "t0"]), 1)
    try await expectEqual(todos.deleteManyDocuments(filter: [:]), 2)
    await #expect(throws: AppError.self) { try await todos.find(filter: ["$where": "1"]) }
    do {
      _ = try await todos.find(filter: ["name": ["$near": 1]])
      Issue.record("an unknown operator was taken")
    } catch AppError.mongoDBError {
    } catch {
      Issue.record("\(error)")
    }
    try await server.stop()
  }

  /// The calls with completion blocks.
  @Test func eachCallHasABlock() async throws {
    let server = try await RunningServer(file: Self.file)
    let todos = Self.todos(try await AppDevice(server, "ann"))
    func result<R: Sendable>(
      _ call: (@escaping @Sendable (Result<R, any Error>) -> Void) -> Void
    ) async throws -> R {
      try await withCheckedThrowingContinuation { continuation in
        call { continuation.resume(with: $0) }
      }
    }
    let id = try await result { todos.insertOne(["name": "a"], $0) }
    expectTrue(id.objectIdValue != nil)
    try await expectEqual(result { todos.insertMany([["name": "b"], ["name": "c"]], $0) }.count, 2)
    try await expectEqual(result { todos.find(filter: [:], $0) }.count, 3)
    try await expectEqual(result { todos.find(filter: [:], options: FindOptions(1), $0) }.count, 1)
    #expect(try await result { todos.findOneDocument(filter: ["name": "b"], $0) } != nil)
    try await expectEqual(
      result {
        todos.findOneDocument(filter: [:], options: FindOptions(nil, ["name": 0]), $0)
      }?["name"], nil)
    try await expectEqual(result { todos.aggregate(pipeline: [["$count": "n"]], $0) }.count, 1)
    try await expectEqual(result { todos.count(filter: [:], $0) }, 3)
    try await expectEqual(result { todos.count(filter: [:], limit: 2, $0) }, 2)
    let set: Document = ["$set": ["owner": "x"]]
    try await expectEqual(
      result { todos.updateOneDocument(filter: [:], update: set, $0) }.modifiedCount, 1)
    #expect(
      try await result {
        todos.updateOneDocument(filter: ["name": "d"], update: set, upsert: true, $0)
      }.documentId != nil)
    try await expectEqual(
      result { todos.updateManyDocuments(filter: [:], update: set, $0) }.matchedCount, 4
    )
    try await expectEqual(
      result {
        todos.updateManyDocuments(filter: ["name": "e"], update: set, upsert: false, $0)
      }.matchedCount, 0)
    let options = FindOneAndModifyOptions(nil, [["name": -1]])
    #expect(
      try await result { todos.findOneAndUpdate(filter: ["name": "a"], update: set, $0) } != nil)
    try await expectEqual(
      result {
        todos.findOneAndUpdate(filter: [:], update: set, options: options, $0)
      }?["name"], .some("d"))
    #expect(
      try await result {
        todos.findOneAndReplace(filter: ["name": "a"], replacement: ["name": "z"], $0)
      } != nil)
    try await expectEqual(
      result {
        todos.findOneAndReplace(
          filter: [:], replacement: ["name": "y"], options: options, $0)
      }?["name"], .some("z"))
    #expect(try await result { todos.findOneAndDelete(filter: ["name": "y"], $0) } != nil)
    try await expectEqual(
      result { todos.findOneAndDelete(filter: [:], options: options, $0) }?["name"],
      .some("d"))
    try await expectEqual(result { todos.deleteOneDocument(filter: ["name": "b"], $0) }, 1)
    try await expectEqual(result { todos.deleteManyDocuments(filter: [:], $0) }, 1)
    try await server.stop()
  }

  @Test @MainActor func rolesDecideAboutCallsToo() async throws {
    let server = try await RunningServer(file: RoleTests.rules)
    let editor = try await AppDevice(server, "editor")
    let ann = try await AppDevice(server, "ann")
    try await server.accounts.setCustomData(
      .document([BSONElement("editor", .bool(true))]), of: editor.user.id)
    _ = try await Self.todos(editor).insertMany([
      ["name": "for all", "status": "public"], ["name": "hidden"],
    ])
    let todos = Self.todos(ann)
    try await expectEqual(Self.names(todos.find(filter: [:])), ["for all"])
    let own = try await todos.insertOne(["name": "ann's", "owner": .string(ann.user.id)])
    let realm = try await Self.open(ann)
    try await Self.wait(for: ["for all", "ann's"], in: realm)
    for (call, text) in [
      (["name": "theirs", "owner": "bob"] as Document, "insert not permitted"),
      (
        ["name": "public", "owner": .string(ann.user.id), "status": "public"],
        "insert not permitted"
      ),
    ] {
      let error = await #expect(throws: AppError.self) { try await todos.insertOne(call) }
      expectEqual(error?.message, text)
      expectEqual(error?.httpStatusCode, 403)
    }
    let error = await #expect(throws: AppError.self) {
      try await todos.updateOneDocument(
        filter: ["name": "for all"], update: ["$set": ["name": "x"]])
    }
    expectEqual(error?.message, "update not permitted")
    try await expectEqual(todos.deleteManyDocuments(filter: ["_id": own]), 1)
    try await Self.wait(for: ["for all"], in: realm)
    #expect(ann.errors.withLock { $0.isEmpty })
    try await server.stop()
  }

  // MARK: Streams

  private final class Delegate: ChangeEventDelegate, Sendable {
    let events = AsyncStream.makeStream(of: String.self)

    func changeStreamDidOpen(_ changeStream: ChangeStream) { events.continuation.yield("open") }
    func changeStreamDidReceive(changeEvent: AnyBSON?) {
      let type = changeEvent?.documentValue?["operationType"]??.stringValue
      events.continuation.yield(type ?? "no type")
    }
    func changeStreamDidReceive(error: any Error) { events.continuation.yield("error") }
    func changeStreamDidClose(with error: (any Error)?) {
      events.continuation.yield(error == nil ? "closed" : "failed")
    }
  }

  /// What a device uploads is an event, too.
  @Test @MainActor func changesComeToStreams() async throws {
    let server = try await RunningServer(file: Self.file)
    let ann = try await AppDevice(server, "ann")
    let todos = Self.todos(ann)
    let delegate = Delegate()
    let stream = todos.watch(delegate: delegate, queue: DispatchQueue(label: "events"))
    var events = delegate.events.stream.makeAsyncIterator()
    await expectEqual(events.next(), "open")
    let id = try await todos.insertOne(["name": "a"])
    await expectEqual(events.next(), "insert")
    let realm = try await Self.open(ann)
    try await Self.wait(for: ["a"], in: realm)
    try await realm.asyncWrite { realm.objects(Todo.self).first?.name = "b" }
    await expectEqual(events.next(), "update")
    try await expectEqual(todos.deleteOneDocument(filter: ["_id": id]), 1)
    await expectEqual(events.next(), "delete")
    stream.close()
    await expectEqual(events.next(), "closed")
    try await server.stop()
  }

  @Test func sequencesHaveTheSameEvents() async throws {
    let server = try await RunningServer(file: Self.file)
    let todos = Self.todos(try await AppDevice(server, "ann"))
    let ids = (0..<2).map { _ in ObjectId.generate() }
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    let byID = todos.changeEvents(filterIds: [ids[1]]) { open.yield() }
    let byFilter = todos.changeEvents(matchFilter: ["fullDocument.name": "1"]) { open.yield() }
    let all = todos.changeEvents(onOpen: { open.yield() })
    var openings = opened.makeAsyncIterator()
    for _ in 0..<3 { await openings.next() }
    for (number, id) in ids.enumerated() {
      _ = try await todos.insertOne(["_id": .objectId(id), "name": .string("\(number)")])
    }
    for (stream, events) in [byID, byFilter, all].enumerated() {
      var found: AnyBSON?
      for try await event in events {
        found = event
        break
      }
      let first: ObjectId = stream == 2 ? ids[0] : ids[1]
      expectEqual(
        found?.documentValue?["documentKey"]??.documentValue?["_id"], .some(.objectId(first)))
    }
    // A refusal ends a stream, and says why.
    var error: (any Error)?
    do {
      for try await _ in todos.changeEvents(matchFilter: ["$where": 1]) {}
    } catch let failure { error = failure }
    expectEqual((error as? AppError)?.code, .mongoDBError)
    // The end of the server ends streams, and waits for none.
    let events = todos.changeEvents
    let ending = Task { for try await _ in events {} }
    try await server.stop()
    _ = await ending.result
  }

  // MARK: Partitions

  @Test @MainActor func aPartitionIsAFieldOfItsDocuments() async throws {
    let server = try await RunningServer(
      file: #"""
        {"id":"todos","mode":"development","sync":"partition","providers":{"anon-user":{}},
         "documents":{"service":"data","partition_key":"realm"}}
        """#)
    let ann = try await AppDevice(server, "ann")
    let todos = ann.user.mongoClient("data").database(named: "db").collection(withName: "Todo")
    _ = try await todos.insertOne(["name": "a", "realm": "home"])
    let realm = try await Realm(
      configuration: ann.configuration("home"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    try await Self.wait(for: ["a"], in: realm)
    let found = try await todos.find(
      filter: ["realm": "home"], options: FindOptions(nil, ["name": 1, "realm": 1, "_id": 0]))
    expectEqual(found, [["name": "a", "realm": "home"]])
    let missing = await #expect(throws: AppError.self) { try await todos.find(filter: [:]) }
    expectEqual(missing?.code, .invalidParameter)
    let unknown = await #expect(throws: AppError.self) {
      try await Self.todos(ann).find(filter: [:])
    }
    expectEqual(unknown?.message, "service not found: 'mongodb-atlas'")
    try await server.stop()
  }
}
#endif
