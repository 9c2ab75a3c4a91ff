// SPDX-License-Identifier: Apache-2.0

// `objectWillChange` of objects, collections, projections and realms, tokens, and subscriptions.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif
import Dispatch
import RealmSwift
import TestExtensions
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct ObjectWillChangeTests {
  /// How often a publisher publishes after a change; it must be silent before.
  private func count(
    _ publisher: RealmPublishers.WillChange<Member>, after change: () throws -> Void
  ) async throws -> Int {
    let recorder = Recorder()
    let subscription = publisher.recorded(in: recorder) { "changed" }
    await expectEqual(recorder.settled(), [])
    try change()
    _ = await recorder.wait(for: 1)
    let count = await recorder.settled().count
    subscription.cancel()
    return count
  }

  @Test func allThatChangesSaysSoOnce() async throws {
    let club = try await Club()
    let member = club.member
    let pet = member.pets[0]
    let change = {
      try club.write {
        member.name = "Ann \(member.tags.count)"
        member.tags.insert("tag \(member.tags.count)")
        pet.name = "Rex \(member.tags.count)"
        pet.age += 1
        member.byRoom["room \(member.tags.count)"] = pet
      }
    }
    try await expectEqual(count(member.objectWillChange, after: change), 1)
    try await expectEqual(count(Badge(projecting: member).objectWillChange, after: change), 1)
    try await expectEqual(count(member.pets.objectWillChange, after: change), 1)
    try await expectEqual(count(member.tags.objectWillChange, after: change), 1)
    try await expectEqual(count(member.byRoom.objectWillChange, after: change), 1)
    try await expectEqual(count(club.pets.objectWillChange, after: change), 1)
    try await expectEqual(count(pet.owners.objectWillChange, after: change), 1)
    try await expectEqual(count(AnyRealmCollection(club.pets).objectWillChange, after: change), 1)
    try await expectEqual(count(club.sections.objectWillChange, after: change), 1)
    let section = try #require(club.sections.first)
    try await expectEqual(count(section.objectWillChange, after: change), 1)
    try await expectEqual(count(club.realm.objectWillChange, after: change), 1)
  }

  @Test func whatNoRealmManagesAndWhatIsFrozenIsSilent() async throws {
    let club = try await Club()
    let recorder = Recorder()
    let pet = Pet()
    let subscriptions = [
      pet.objectWillChange.recorded(in: recorder) { "pet" },
      Badge(projecting: Member()).objectWillChange.recorded(in: recorder) { "badge" },
      List<Int>().objectWillChange.recorded(in: recorder) { "list" },
      club.pets.freeze().objectWillChange.recorded(in: recorder) { "results" },
    ]
    pet.name = "Bo"
    try club.addPet("Bo")
    await expectEqual(recorder.settled(), [])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func itEndsWhenTheObjectIsDeleted() async throws {
    let club = try await Club()
    let recorder = Recorder()
    let subscriptions = [
      club.member.objectWillChange.recorded(in: recorder) { "changed" },
      Badge(projecting: club.member).objectWillChange.recorded(in: recorder) { "changed" },
    ]
    try club.write { club.realm.delete(club.member) }
    await expectEqual(recorder.wait(for: 2), ["end", "end"])
    for subscription in subscriptions { subscription.cancel() }
  }

  /// In release builds, too: the optimizer must not take a projection for one of its superclass.
  @Test func projectionsSaySoEachTimeHereAndOnQueues() async throws {
    let club = try await Club()
    let badge = Badge(projecting: club.member)
    let base: Projection<Member> = badge
    let recorder = Recorder()
    let place = Place()
    let subscriptions = [
      badge.objectWillChange.recorded(in: recorder) { "badge" },
      base.objectWillChange.recorded(in: recorder) { "base" },
      badge.objectWillChange.subscribe(on: place.queue).recorded(in: recorder) { Place.here },
      valuePublisher(badge).recorded(in: recorder) { "value \($0.title)" },
      valuePublisher(base).recorded(in: recorder) { "\(type(of: $0))" },
    ]
    await withCheckedContinuation { continuation in place.queue.async { continuation.resume() } }
    for number in 1...3 {
      try club.write { club.member.name = "\(number)" }
      await expectEqual(
        recorder.wait(for: 5 * number).suffix(5).sorted(),
        ["Badge", "badge", "base", "there", "value \(number)"])
    }
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func aRealmTellsAQueue() async throws {
    let club = try await Club()
    let place = Place()
    let texts = try await club.realm.objectWillChange.subscribe(on: place.queue)
      .told(1, { Place.here }) { try club.addPet("Bo") }
    expectEqual(texts, ["there"])
  }

  // MARK: Tokens and subscriptions

  private final class Holder {
    var token: NotificationToken?
    var other = NotificationToken()
  }

  @Test func tokensAreSaved() async throws {
    let club = try await Club()
    let holder = Holder()
    let recorder = Recorder()
    let subscriptions = [
      club.realm.objectWillChange.saveToken(on: holder, for: \.token)
        .recorded(in: recorder) { "realm" },
      changesetPublisher(club.member).saveToken(on: holder, at: \.other)
        .recorded(in: recorder) { _ in "member" },
    ]
    let token = try #require(holder.token)
    try club.realm.write(withoutNotifying: [token, holder.other]) { club.member.age = 1 }
    await expectEqual(recorder.settled(), [])
    try club.write { club.member.age = 2 }
    await expectEqual(recorder.wait(for: 2).sorted(), ["member", "realm"])
    for subscription in subscriptions { subscription.cancel() }
    expectFalse(token.invalidate())
  }

  @Test func tokensAreSavedUnderEitherLabel() async throws {
    let club = try await Club()
    let holders = (0..<4).map { _ in Holder() }
    let values = valuePublisher(club.member)
    let recorder = Recorder()
    let none = holders.map { ObjectIdentifier($0.other) }
    let publishers = [
      values.saveToken(on: holders[0], at: \.token), values.saveToken(on: holders[1], for: \.token),
      values.saveToken(on: holders[2], at: \.other), values.saveToken(on: holders[3], for: \.other),
    ]
    let subscriptions = publishers.map { $0.recorded(in: recorder) { "\($0.age)" } }
    #expect(holders[..<2].allSatisfy { $0.token != nil })
    #expect(!holders[2...].contains { none.contains(ObjectIdentifier($0.other)) })
    for holder in holders { (holder.token ?? holder.other).cancel() }
    try club.write { club.member.age = 2 }
    await expectEqual(recorder.settled(), [])
    for subscription in subscriptions { subscription.cancel() }
  }

  /// `RealmSubscription` 2.
  @Test func aCancelledSubscriptionIsSilent() async throws {
    let club = try await Club()
    let recorder = Recorder()
    let subscription = club.pets.collectionPublisher.recorded(in: recorder) { "\($0.count)" }
    await expectEqual(recorder.wait(for: 1), ["1"])
    subscription.cancel()
    try club.addPet("Bo")
    await expectEqual(recorder.settled(), ["1"])
  }

  /// `RealmSubscription` 1.
  @Test func aReleasedSubscriptionEndsItsObservation() async throws {
    let club = try await Club()
    let holder = Holder()
    do {
      let forgetful = Forgetful()
      valuePublisher(club.member).saveToken(on: holder, at: \.token).subscribe(forgetful)
      expectTrue(forgetful.isSubscribed)
      forgetful.forget()
    }
    let token = try #require(holder.token)
    try club.write { club.member.age = 1 }
    // The token that was saved keeps the observation, but there is no one to be told.
    expectTrue(token.invalidate())
    expectEqual(Forgetful.count, 0)
  }

  @Test func projectionsAreIdentifiedByTheirObjects() async throws {
    let club = try await Club()
    let other = try club.realm.write { club.realm.create(Member.self, value: ["id": 2]) }
    expectEqual(Badge(projecting: club.member).id, Badge(projecting: club.member).id)
    expectEqual(Badge(projecting: club.member).id, Badge(projecting: club.member.freeze()).id)
    expectTrue(Badge(projecting: club.member).id != Badge(projecting: other).id)
    let unmanaged = Member()
    expectEqual(Badge(projecting: unmanaged).id, Badge(projecting: unmanaged).id)
    expectTrue(Badge(projecting: unmanaged).id != Badge(projecting: Member()).id)
  }
}

/// A subscriber that can forget its subscription without cancelling it.
private final class Forgetful: Subscriber {
  static var count: Int { counter.all.count }
  private static let counter = Recorder()
  private var subscription: (any Subscription)?

  var isSubscribed: Bool { subscription != nil }

  func forget() { subscription = nil }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  func receive(_ input: Member) -> Subscribers.Demand {
    Self.counter.add(input.name)
    return .none
  }

  func receive(completion: Subscribers.Completion<any Error>) {}
}
#endif
