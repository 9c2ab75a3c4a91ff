// SPDX-License-Identifier: Apache-2.0

// Publishers of values: objects, projections, and every kind of collection.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif
import RealmSwift
import TestExtensions
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct ValuePublisherTests {
  @Test func objectsPublishThemselvesAndEnd() async throws {
    let club = try await Club()
    let recorder = Recorder()
    let subscription = valuePublisher(club.member).recorded(in: recorder) { "\($0.age)" }
    try club.write { club.member.age = 4 }
    await expectEqual(recorder.wait(for: 1), ["4"])
    try club.write { club.realm.delete(club.member) }
    await expectEqual(recorder.wait(for: 2), ["4", "end"])
    subscription.cancel()
  }

  @Test func projectionsPublishThemselvesAndEnd() async throws {
    let club = try await Club()
    let badge = Badge(projecting: club.member)
    let recorder = Recorder()
    let subscriptions = [
      valuePublisher(badge).recorded(in: recorder) { $0.title },
      // The static type is that of the base class.
      valuePublisher(badge as Projection<Member>).recorded(in: recorder) { $0.rootObject.name },
    ]
    try club.write { club.member.age = 4 }
    await expectEqual(recorder.settled(), [])
    try club.write { club.member.name = "Eve" }
    await expectEqual(recorder.wait(for: 2), ["Eve", "Eve"])
    try club.write { club.realm.delete(club.member) }
    await expectEqual(recorder.wait(for: 4).suffix(2), ["end", "end"])
    for subscription in subscriptions { subscription.cancel() }
  }

  private func check<C: RealmCollection>(
    _ collection: C, _ club: Club, _ change: () throws -> Void
  ) async throws where C: RealmSubscribable {
    let count = collection.count
    for publisher in [collection.collectionPublisher, valuePublisher(collection)] {
      let before = collection.count
      let texts = try await publisher.told(2, first: 1, { "\($0.count)" }, after: change)
      expectEqual(texts, ["\(before)", "\(before + 1)"], "\(C.self)")
    }
    expectEqual(collection.count, count + 2)
  }

  @Test func collectionsPublishThemselves() async throws {
    let club = try await Club()
    try await check(club.member.pets, club) { try club.addPet("Bo") }
    try await check(club.pets, club) { try club.addPet("Bo") }
    try await check(AnyRealmCollection(club.pets), club) { try club.addPet("Bo") }
    try await check(club.member.tags, club) {
      try club.write { club.member.tags.insert("tag \(club.member.tags.count)") }
    }
    let rex = try #require(club.realm.objects(Pet.self).where { $0.name == "Rex" }.first)
    try await check(rex.owners, club) {
      try club.write {
        let id = club.realm.objects(Member.self).count + 1
        club.realm.create(Member.self, value: ["id": id]).pets.append(rex)
      }
    }
  }

  private func keyed<M: RealmKeyedCollection>(_ map: M) -> RealmPublishers.Value<M> {
    valuePublisher(map)
  }

  @Test func mapsPublishThemselves() async throws {
    let club = try await Club()
    let map = club.member.byRoom
    for publisher in [map.collectionPublisher, valuePublisher(map), keyed(map)] {
      let before = map.count
      let texts = try await publisher.told(2, first: 1, { "\($0.count)" }) {
        try club.write { map["room \(before)"] = club.member.pets[0] }
      }
      expectEqual(texts, ["\(before)", "\(before + 1)"])
    }
  }

  @Test func sectionsPublishThemselves() async throws {
    let club = try await Club()
    let sections = club.sections
    let section = try #require(sections.first)
    for publisher in [sections.collectionPublisher, valuePublisher(sections)] {
      let before = sections.count
      let name = ["Bo", "Cy"][before - 1]
      let texts = try await publisher.told(2, first: 1, { "\($0.count)" }) {
        try club.addPet(name)
      }
      expectEqual(texts, ["\(before)", "\(before + 1)"])
    }
    for publisher in [section.collectionPublisher, valuePublisher(section)] {
      let before = section.count
      let texts = try await publisher.told(2, first: 1, { "\($0.count)" }) {
        try club.addPet("Rob")
      }
      expectEqual(texts, ["\(before)", "\(before + 1)"])
    }
  }

  /// What comes of changes of the age, which was not asked for, and of the name.
  private func named<P: Publisher>(
    _ publisher: P, first: Int, _ club: Club
  ) async throws -> Int {
    let pet = club.member.pets[0]
    let recorder = Recorder()
    let subscription = publisher.recorded(in: recorder) { _ in "value" }
    _ = await recorder.wait(for: first)
    try club.write {
      pet.age += 1
      club.member.age += 1
    }
    _ = await recorder.settled()
    expectEqual(recorder.all.count, first, "\(P.self)")
    try club.write {
      pet.name = "Rex \(pet.age)"
      club.member.name = "Ann \(pet.age)"
    }
    let count = await recorder.wait(for: first + 1).count
    subscription.cancel()
    return count
  }

  @Test func keyPathsNameThePropertiesWhoseChangesAreWanted() async throws {
    let club = try await Club()
    let member = club.member
    let badge = Badge(projecting: member)
    let wanted = ["name"]
    try await expectEqual(named(valuePublisher(member, keyPaths: wanted), first: 0, club), 1)
    try await expectEqual(named(valuePublisher(member, keyPaths: [\.name]), first: 0, club), 1)
    try await expectEqual(named(valuePublisher(badge, keyPaths: wanted), first: 0, club), 1)
    try await expectEqual(named(valuePublisher(badge, keyPaths: [\.title]), first: 0, club), 1)
    try await expectEqual(named(changesetPublisher(member, keyPaths: wanted), first: 0, club), 1)
    try await expectEqual(named(changesetPublisher(member, keyPaths: [\.name]), first: 0, club), 1)
    try await expectEqual(named(changesetPublisher(badge, keyPaths: wanted), first: 0, club), 1)
    try await expectEqual(named(changesetPublisher(badge, keyPaths: [\.title]), first: 0, club), 1)
    let pets = member.pets
    try await expectEqual(named(valuePublisher(pets, keyPaths: wanted), first: 1, club), 2)
    try await expectEqual(named(pets.collectionPublisher(keyPaths: wanted), first: 1, club), 2)
    try await expectEqual(
      named(club.pets.collectionPublisher(keyPaths: [\.name]), first: 1, club), 2)
    try await expectEqual(named(changesetPublisher(club.pets, keyPaths: wanted), first: 1, club), 2)
    try await expectEqual(
      named(club.pets.changesetPublisher(keyPaths: [\.name]), first: 1, club), 2)
  }

  @Test func keyPathsOfMapsAndSections() async throws {
    let club = try await Club()
    let map = club.member.byRoom
    let wanted = ["name"]
    try await expectEqual(named(valuePublisher(map, keyPaths: wanted), first: 1, club), 2)
    try await expectEqual(named(map.collectionPublisher(keyPaths: [\.name]), first: 1, club), 2)
    try await expectEqual(named(changesetPublisher(map, keyPaths: wanted), first: 1, club), 2)
    try await expectEqual(named(map.changesetPublisher(keyPaths: [\.name]), first: 1, club), 2)
    let sections = club.sections
    try await expectEqual(named(valuePublisher(sections, keyPaths: wanted), first: 1, club), 2)
    try await expectEqual(
      named(club.sections.collectionPublisher(keyPaths: [\.name]), first: 1, club), 2)
    try await expectEqual(
      named(changesetPublisher(club.sections, keyPaths: wanted), first: 1, club), 2)
    let section = try #require(club.sections.first)
    try await expectEqual(named(section.changesetPublisher(keyPaths: [\.name]), first: 1, club), 2)
  }

  @Test func observingOnAQueue() async throws {
    let club = try await Club()
    let place = Place()
    let texts = try await club.pets.collectionPublisher.subscribe(on: place.queue).told(
      2, first: 1, { "\($0.count) \(Place.here)" }
    ) { try club.addPet("Bo") }
    expectEqual(texts, ["1 there", "2 there"])
  }
}
#endif
