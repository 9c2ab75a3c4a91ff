// SPDX-License-Identifier: Apache-2.0

// Values and changes on other queues: handed over by reference, or frozen.

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

@MainActor @Suite(.timeLimit(.minutes(10))) struct HandoverTests {
  /// What three ways to a queue tell: our own `receive(on:)`, references, and frozen values. The
  /// texts read the values there, which ends the process if they are of another thread's realm.
  private func ways<Output, Failure>(
    _ publisher: RealmPublishers.Changes<Output, Failure>,
    _ reference: RealmPublishers.MakeThreadSafe<RealmPublishers.Changes<Output, Failure>>,
    _ frozen: Publishers.Map<RealmPublishers.Changes<Output, Failure>, Output>, first: Int = 1,
    _ text: @escaping @Sendable (Output) -> String, after change: () throws -> Void
  ) async throws -> [[String]] {
    let place = Place()
    let recorders = [Recorder(), Recorder(), Recorder()]
    let placed: @Sendable (Output) -> String = { "\(text($0)) \(Place.here)" }
    let subscriptions = [
      publisher.receive(on: place.queue).recorded(in: recorders[0], placed),
      reference.receive(on: place.queue).recorded(in: recorders[1], placed),
      frozen.receive(on: place.queue).recorded(in: recorders[2], placed),
    ]
    for recorder in recorders { _ = await recorder.wait(for: first) }
    try change()
    var texts: [[String]] = []
    for recorder in recorders { texts.append(await recorder.wait(for: first + 1)) }
    for subscription in subscriptions { subscription.cancel() }
    return texts
  }

  private func same(_ texts: [String]) -> [[String]] { Array(repeating: texts, count: 3) }

  @Test func valuesOfObjects() async throws {
    let club = try await Club()
    let values = valuePublisher(club.member)
    let texts = try await ways(
      values, values.threadSafeReference(), values.freeze(), first: 0, { "\($0.name)" }
    ) { try club.write { club.member.name = "Eve" } }
    expectEqual(texts, same(["Eve there"]))
    let badges = valuePublisher(Badge(projecting: club.member))
    let titles = try await ways(
      badges, badges.threadSafeReference(), badges.freeze(), first: 0, { "\($0.title)" }
    ) { try club.write { club.member.name = "Ida" } }
    expectEqual(titles, same(["Ida there"]))
  }

  @Test func valuesOfCollections() async throws {
    let club = try await Club()
    let lists = club.member.pets.collectionPublisher
    let texts = try await ways(
      lists, lists.threadSafeReference(), lists.freeze(), { "\(Array($0.map(\.name)))" }
    ) { try club.addPet("Bo") }
    expectEqual(texts, same([#"["Rex"] there"#, #"["Rex", "Bo"] there"#]))
    let maps = club.member.byRoom.collectionPublisher
    let keys = try await ways(
      maps, maps.threadSafeReference(), maps.freeze(), { "\($0.keys.sorted())" }
    ) { try club.write { club.member.byRoom["loft"] = club.member.pets[0] } }
    expectEqual(keys, same([#"["hall"] there"#, #"["hall", "loft"] there"#]))
    let sections = club.sections.collectionPublisher
    let letters = try await ways(
      sections, sections.threadSafeReference(), sections.freeze(), { "\($0.allKeys)" }
    ) { try club.addPet("Zoe") }
    expectEqual(letters, same([#"["B", "R"] there"#, #"["B", "R", "Z"] there"#]))
  }

  /// What is derived from a list is empty when its owner is gone, wherever its observers are.
  @Test func theLastChangeOfWhatIsGoneArrives() async throws {
    let gone = [#"1 there"#, #"0 [0] there"#]
    func told<C: RealmCollection>(_ collection: (Club) -> C) async throws -> [[String]] {
      let club = try await Club()
      let changes = collection(club).changesetPublisher
      return try await ways(
        changes, changes.threadSafeReference(), changes.freeze(),
        {
          switch $0 {
          case .initial(let all): "\(all.count)"
          case .update(let all, let deletions, _, _): "\(Array(all).count) \(deletions)"
          case .error: "error"
          }
        }
      ) { try club.write { club.realm.delete(club.member) } }
    }
    try await expectEqual(told { $0.member.pets }, same(gone))
    try await expectEqual(told { $0.member.pets.where { $0.name != "" } }, same(gone))
    try await expectEqual(told { $0.member.pets.sorted(by: \.name) }, same(gone))
    try await expectEqual(told { $0.member.tags }, same(gone))
    try await expectEqual(told { $0.member.tags.sorted(ascending: true) }, same(gone))
    try await expectEqual(told { AnyRealmCollection($0.member.pets) }, same(gone))
  }

  @Test func changesOfObjects() async throws {
    let club = try await Club()
    let pet = club.member.pets[0]
    let changes = changesetPublisher(club.member)
    // The value of a property is an object, too.
    let told: @Sendable (ObjectChange<Member>) -> String = { change in
      guard case .change(let member, let properties) = change else { return "none" }
      let values = properties.map { property in
        switch property.newValue {
        case let pet as Pet: "\(property.name) \(pet.name)"
        case let value as AnyRealmValue: "\(property.name) \(value.object(Pet.self)?.name ?? "")"
        default: property.name
        }
      }
      return "\(member.name) \(values)"
    }
    let texts = try await ways(
      changes, changes.threadSafeReference(), changes.freeze(), first: 0, told
    ) {
      try club.write {
        club.member.best = pet
        club.member.anything = .object(pet)
      }
    }
    expectEqual(texts, same([#"Ann ["best Rex", "anything Rex"] there"#]))
    let badges = changesetPublisher(Badge(projecting: club.member))
    let titles = try await ways(
      badges, badges.threadSafeReference(), badges.freeze(), first: 0, Told.badge
    ) { try club.write { club.member.name = "Ida" } }
    expectEqual(titles, same([#"Ida ["title=Ida"] there"#]))
  }

  @Test func changesOfCollections() async throws {
    let club = try await Club()
    let lists = club.member.pets.changesetPublisher
    let texts = try await ways(
      lists, lists.threadSafeReference(), lists.freeze(), Told.pets
    ) { try club.addPet("Bo") }
    expectEqual(texts, same([#"initial ["Rex"] there"#, #"["Rex", "Bo"] [] [1] [] there"#]))
    let maps = club.member.byRoom.changesetPublisher
    let keys = try await ways(maps, maps.threadSafeReference(), maps.freeze(), Told.map) {
      try club.write { club.member.byRoom["loft"] = club.member.pets[0] }
    }
    expectEqual(
      keys, same([#"initial ["hall"] there"#, #"["hall", "loft"] Rex [] ["loft"] [] there"#]))
  }

  @Test func changesOfSections() async throws {
    let club = try await Club()
    let sections = club.sections.changesetPublisher
    let texts = try await ways(
      sections, sections.threadSafeReference(), sections.freeze(), Told.sections
    ) { try club.addPet("Zoe") }
    expectEqual(
      texts, same([#"initial ["R"] there"#, #"[["Rex"], ["Zoe"]] [[1, 0]] [1] there"#]))
    let section = try #require(club.sections.first).changesetPublisher
    let own = try await ways(
      section, section.threadSafeReference(), section.freeze(), Told.section
    ) { try club.addPet("Rob") }
    expectEqual(own, same(["initial R there", #"["Rex", "Rob"] [[0, 1]] there"#]))
  }

  @Test func referencesAfterOperators() async throws {
    let club = try await Club()
    let place = Place()
    let texts = try await club.member.pets.changesetPublisher.filter { @Sendable _ in true }
      .threadSafeReference().receive(on: place.queue)
      .told(2, first: 1, { "\(Told.pets($0)) \(Place.here)" }) { try club.addPet("Bo") }
    expectEqual(texts, [#"initial ["Rex"] there"#, #"["Rex", "Bo"] [] [1] [] there"#])
  }

  @Test func schedulersThatAreNoQueues() async throws {
    let club = try await Club()
    let texts = try await club.pets.collectionPublisher.receive(on: ImmediateScheduler.shared)
      .told(2, first: 1, { "\($0.count) \(Place.here)" }) { try club.addPet("Bo") }
    expectEqual(texts, ["1 here", "2 here"])
  }

  @Test func unmanagedValuesAndTheVoidPassAsTheyAre() async throws {
    let club = try await Club()
    let place = Place()
    let recorder = Recorder()
    let subscriptions = [
      Just(Pet(value: ["name": "Bo"])).threadSafeReference().receive(on: place.queue)
        .recorded(in: recorder) { "\($0.name) \(Place.here)" },
      club.member.objectWillChange.receive(on: place.queue).recorded(in: recorder) {
        "changed \(Place.here)"
      },
    ]
    _ = await recorder.wait(for: 2)
    try club.write { club.member.age = 1 }
    await expectEqual(recorder.wait(for: 3), ["Bo there", "end", "changed there"])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func whatWasDeletedMeanwhileIsLeftOut() async throws {
    let club = try await Club()
    let configuration = club.configuration
    let place = Place()
    let far = Recorder()
    let near = Recorder()
    let changes = changesetPublisher(club.member)
    let subscriptions = [
      changes.receive(on: place.queue).recorded(in: far, Told.member),
      changes.recorded(in: near, Told.member),
    ]
    place.queue.suspend()
    let kept = KeptRealm()
    // The queue's realm is newer than the change when that arrives.
    place.queue.async { kept.open(configuration, on: place.queue) }
    try club.write { club.member.age = 4 }
    _ = await near.wait(for: 1)
    try club.write { club.realm.delete(club.member) }
    _ = await near.wait(for: 2)
    place.queue.resume()
    await expectEqual(far.wait(for: 1), ["end"])
    for subscription in subscriptions { subscription.cancel() }
    place.queue.sync { kept.close() }
  }

  @Test func theLastChangeOfADeletedCollectionIsHandedOver() async throws {
    let club = try await Club()
    let place = Place()
    let near = Recorder()
    let far = Recorder()
    let pets = club.member.pets
    let described: @Sendable (RealmCollectionChange<List<Pet>>) -> String = { change in
      switch change {
      case .initial(let pets): "initial \(pets.count)"
      case .update(let pets, let deletions, _, _): "\(pets.isInvalidated) \(deletions)"
      case .error: "failed"
      }
    }
    let subscriptions = [
      pets.changesetPublisher.freeze().recorded(in: near, described),
      pets.changesetPublisher.receive(on: place.queue).recorded(in: far, described),
    ]
    _ = await far.wait(for: 1)
    try club.write { club.realm.delete(club.member) }
    await expectEqual(near.wait(for: 2), ["initial 1", "true [0]"])
    await expectEqual(far.wait(for: 2), ["initial 1", "true [0]"])
    for subscription in subscriptions { subscription.cancel() }
  }

  /// As the names are in other programs.
  @Test @MainActor func publishersOfSectionsHaveNames() async throws {
    typealias Section = ResultsSection<String, Pet>
    typealias Changes = RealmPublishers.SectionChangeset<Section>
    let club = try await Club()
    let section = try #require(club.sections.first)
    let changes: Changes = section.changesetPublisher
    let saved: RealmPublishers.SectionChangesetWithToken<Section, Club> = changes
    let safe: RealmPublishers.MakeThreadSafeSectionedResultsChangeset<Changes, Section> =
      saved.threadSafeReference()
    let place = Place()
    #if canImport(Combine)
    let queue = place.queue
    #else
    let queue = place.queue.ocombine
    #endif
    func receive<S: Scheduler>(_ scheduler: S) async throws -> [[String]] {
      let one: RealmPublishers.DeferredHandoverSectionChangeset<Changes, Section, S> =
        safe.receive(on: scheduler)
      let other: RealmPublishers.DeferredHandoverSectionedResultsChangeset<Changes, Section, S> =
        changes.receive(on: scheduler)
      let value: RealmPublishers.Handover<RealmPublishers.Value<Section>, S> =
        section.collectionPublisher.receive(on: scheduler)
      return [
        try await one.told(1, { _ in Place.here }, after: {}),
        try await other.told(1, { _ in Place.here }, after: {}),
        try await value.told(1, { _ in Place.here }, after: {}),
      ]
    }
    try await expectEqual(receive(queue), [["there"], ["there"], ["there"]])
  }

  @available(*, deprecated)
  @Test @MainActor func theEarlierNameOfCollectionPublisherWorks() async throws {
    let club = try await Club()
    let pets: RealmPublishers.Value<Results<Pet>> = club.pets.publisher
    try await expectEqual(pets.told(1, { "\($0.count)" }, after: {}), ["\(club.pets.count)"])
    let map = club.member.byRoom
    let byRoom: RealmPublishers.Value<Map<String, Pet?>> = map.publisher
    try await expectEqual(byRoom.told(1, { "\($0.count)" }, after: {}), ["\(map.count)"])
  }
}

/// A realm that is kept on a queue.
private final class KeptRealm: @unchecked Sendable {
  // Sendable: used on the queue only.
  private var realm: Realm?

  func open(_ configuration: Realm.Configuration, on queue: DispatchQueue) {
    realm = try? Realm(configuration: configuration, queue: queue)
    realm?.refresh()
    _ = realm?.objects(Member.self).count
  }

  func close() { realm = nil }
}
#endif
