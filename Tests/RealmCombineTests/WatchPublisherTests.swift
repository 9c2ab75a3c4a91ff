// SPDX-License-Identifier: Apache-2.0

// The changes of a collection, published.

#if Sync && (canImport(Combine) || OpenCombine)
#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif
import Foundation
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmSwift

@MainActor @Suite(.timeLimit(.minutes(10))) struct WatchPublisherTests {
  /// A server that sends two events, and then waits, ends or fails.
  private final class Events: MongoCaller {
    enum End { case waits, ends, fails }

    let end: End
    let arguments = Locked<[[BSONElement]]>([])
    let isCancelled = Locked(false)

    init(_ end: End) { self.end = end }

    func call(_ name: String, _ arguments: [BSONElement]) async throws(AppFailure) -> BSONValue {
      throw .invalidCall("no call")
    }

    func watch(
      _ arguments: [BSONElement], _ onOpen: @escaping @Sendable () async -> Void,
      _ onEvent: @escaping @Sendable (BSONValue) async -> Void
    ) async throws(AppFailure) {
      self.arguments.withLock { $0.append(arguments) }
      await onOpen()
      await onEvent(.int32(1))
      await onEvent(.int32(2))
      switch end {
      case .ends: return
      case .fails: throw .invalidCall("over")
      case .waits:
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
        isCancelled.withLock { $0 = true }
        throw .cancelled
      }
    }

    var collection: MongoCollection { MongoDatabase(self, "d").collection(withName: "c") }
  }

  nonisolated private static let text: @Sendable (AnyBSON) -> String = { "\($0.asInt() ?? 0)" }

  @Test func eventsArePublishedUntilTheSubscriptionIsCancelled() async throws {
    let events = Events(.waits)
    let opened = Recorder()
    let recorder = Recorder()
    let publisher = events.collection.watch().onOpen { opened.add("\(Place.isMain)") }
    expectTrue(events.arguments.withLock { $0.isEmpty })
    let subscription = publisher.recorded(in: recorder) { "\(Place.isMain) \(Self.text($0))" }
    await expectEqual(recorder.wait(for: 2), ["true 1", "true 2"])
    expectEqual(opened.all, ["true"])
    subscription.cancel()
    for _ in 0..<6_000 where !events.isCancelled.withLock({ $0 }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    expectTrue(events.isCancelled.withLock { $0 })
    await expectEqual(recorder.settled().count, 2)
  }

  @Test func theEndOfTheStreamIsPublished() async throws {
    let ended = try await Events(.ends).collection.watch(filterIds: [])
      .told(3, Self.text, after: {})
    expectEqual(ended, ["1", "2", "end"])
    let failed = try await Events(.fails).collection.watch(matchFilter: [:])
      .told(3, Self.text, after: {})
    expectEqual(failed, ["1", "2", "error \(AppError.Code.invalidParameter.rawValue)"])
  }

  @Test func eventsComeWhereTheyAreWanted() async throws {
    let place = Place()
    let watch = Events(.ends).collection.watch()
    let here: @Sendable (AnyBSON) -> String = { _ in Place.here }
    try await expectEqual(
      watch.subscribe(on: place.queue).told(3, here, after: {}), ["there", "there", "end"])
    try await expectEqual(
      watch.subscribe(on: ImmediateScheduler.shared).told(3, here, after: {}),
      ["here", "here", "end"])
  }

  @Test func filtersReachTheServer() async throws {
    let events = Events(.ends)
    let id = ObjectId.generate()
    _ = try await events.collection.watch(filterIds: [id]).told(3, Self.text, after: {})
    _ = try await events.collection.watch(matchFilter: ["a": 1]).told(3, Self.text, after: {})
    let names = events.arguments.withLock { $0.map { $0.map(\.key) } }
    expectEqual(names, [["database", "collection", "ids"], ["database", "collection", "filter"]])
  }
}
#endif
