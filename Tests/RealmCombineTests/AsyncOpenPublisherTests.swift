// SPDX-License-Identifier: Apache-2.0

// Realms that are opened in the background and published.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif
import Foundation
import Dispatch
import RealmSwift
import TestExtensions
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct AsyncOpenPublisherTests {
  private let counted: @Sendable (Realm) -> String = {
    "\($0.objects(Pet.self).count) \(Place.here) \(Place.isMain)"
  }

  @Test func theRealmComesOnTheMainQueueAndThenTheEnd() async throws {
    let club = try await Club()
    let publisher = Realm.asyncOpen(configuration: club.configuration)
    try await expectEqual(publisher.told(2, counted, after: {}), ["1 here true", "end"])
  }

  @Test func theRealmIsThatOfTheQueue() async throws {
    let club = try await Club()
    let place = Place()
    let texts = try await Realm.asyncOpen(configuration: club.configuration)
      .receive(on: place.queue).told(2, counted, after: {})
    expectEqual(texts, ["1 there false", "end"])
  }

  @Test func theRealmIsThatOfTheSchedulersThread() async throws {
    let club = try await Club()
    let texts = try await Realm.asyncOpen(configuration: club.configuration)
      .receive(on: ImmediateScheduler.shared).told(2, counted, after: {})
    expectEqual(texts, ["1 here true", "end"])
  }

  @Test func eachSubscriberOpens() async throws {
    let club = try await Club()
    let publisher = Realm.asyncOpen(configuration: club.configuration)
    for _ in 0..<2 { try await expectEqual(publisher.told(2, counted, after: {}).last, "end") }
  }

  @Test func errorsEnd() async throws {
    let club = try await Club()
    var configuration = club.configuration
    configuration.fileURL = club.directory.appendingPathComponent("text.realm")
    try Data(repeating: 65, count: 4096).write(to: #require(configuration.fileURL))
    let texts = try await Realm.asyncOpen(configuration: configuration)
      .told(1, counted, after: {})
    expectEqual(texts, ["error \(Realm.Error.invalidDatabase.rawValue)"])
  }

  @Test func cancellingCancelsTheOpen() async throws {
    let club = try await Club()
    let recorder = Recorder()
    let place = Place()
    place.queue.suspend()
    let subscription = Realm.asyncOpen(configuration: club.configuration)
      .receive(on: place.queue).recorded(in: recorder, counted)
    subscription.cancel()
    place.queue.resume()
    await expectEqual(recorder.settled(), [])
  }

  #if Sync
  @Test func realmsOfThisDeviceHaveNoProgress() async throws {
    let club = try await Club()
    let recorder = Recorder()
    let publisher = Realm.asyncOpen(configuration: club.configuration)
      .onProgressNotification { _ in recorder.add("progress") }
    try await expectEqual(publisher.told(2, counted, after: {}).last, "end")
    expectEqual(recorder.all, [])
  }
  #endif
}
#endif
