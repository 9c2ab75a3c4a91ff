// SPDX-License-Identifier: Apache-2.0

// Collections of an app whose server has none, and the options of calls.

#if Sync
import Foundation
import RealmStorage
import TestExtensions
import Testing

@testable import RealmSwift

struct DocumentCallTests {
  private final class Delegate: ChangeEventDelegate, Sendable {
    let errors = AsyncStream.makeStream(of: (any Error)?.self)

    func changeStreamDidOpen(_ changeStream: ChangeStream) { Issue.record("a stream was opened") }
    func changeStreamDidReceive(changeEvent: AnyBSON?) { Issue.record("an event came") }
    func changeStreamDidReceive(error: any Error) { errors.continuation.yield(error) }
    func changeStreamDidClose(with error: (any Error)?) { errors.continuation.yield(error) }
  }

  private func collection() async throws -> MongoCollection {
    let user = try await MemoryApp().device("first").login(credentials: .anonymous)
    let client = user.mongoClient("mongodb-atlas")
    let database = client.database(named: "db")
    let collection = database.collection(withName: "c")
    expectEqual(client.name, "mongodb-atlas")
    expectEqual(database.name, "db")
    expectEqual(collection.name, "c")
    return collection
  }

  @Test func anAppWithoutDocumentsRefusesThem() async throws {
    let collection = try await collection()
    let error = await #expect(throws: AppError.self) { try await collection.insertOne([:]) }
    expectEqual(error?.message, "service not found: 'mongodb-atlas'")
    expectEqual(error?.httpStatusCode, 404)
    // The transport of this app has no streams.
    let delegate = Delegate()
    let queue = DispatchQueue(label: "watch")
    let streams = [
      collection.watch(delegate: delegate, queue: queue),
      collection.watch(matchFilter: [:], delegate: delegate, queue: queue),
      collection.watch(filterIds: [], delegate: delegate, queue: queue),
    ]
    var errors = delegate.errors.stream.makeAsyncIterator()
    for _ in 0..<streams.count * 2 {
      let error = try #require(await errors.next())
      expectEqual((error as? AppError)?.code, .invalidParameter)
    }
    for stream in streams { stream.close() }
  }

  /// A delegate of a program, that one thread uses.
  private final class PlainDelegate: ChangeEventDelegate {
    var texts: [String] = []

    func changeStreamDidOpen(_ changeStream: ChangeStream) { texts.append("open") }
    func changeStreamDidReceive(changeEvent: AnyBSON?) { texts.append("event") }
    func changeStreamDidReceive(error: any Error) { texts.append("error") }
    func changeStreamDidClose(with error: (any Error)?) { texts.append("closed") }
  }

  @Test @MainActor func delegatesNeedNotBeSendable() async throws {
    let delegate = PlainDelegate()
    let stream = try await collection().watch(delegate: delegate)
    for _ in 0..<6_000 where delegate.texts.count < 2 {
      try await Task.sleep(for: .milliseconds(5))
    }
    expectEqual(delegate.texts, ["error", "closed"])
    stream.close()
  }

  @Test func optionsKeepWhatTheyAreGiven() {
    let find = FindOptions(3, ["a": 1], [["b": -1]])
    expectEqual(find.limit, 3)
    expectEqual(find.projection, ["a": 1])
    expectEqual(find.sorting, [["b": -1]])
    let modify = FindOneAndModifyOptions(["a": 1], [["b": 1]], true, true)
    expectEqual(modify.projection, ["a": 1])
    expectEqual(modify.sorting, [["b": 1]])
    expectTrue(modify.upsert)
    expectTrue(modify.shouldReturnNewDocument)
  }
}
#endif
