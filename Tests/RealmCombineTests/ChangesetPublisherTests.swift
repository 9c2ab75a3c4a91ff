// SPDX-License-Identifier: Apache-2.0

// Publishers of changes: what they say, and how they end.

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

/// The changes as texts.
enum Told {
  @Sendable static func member(_ change: ObjectChange<Member>) -> String {
    switch change {
    case .change(let member, let properties):
      "\(member.name) \(properties.map { "\($0.name)=\($0.newValue ?? "nil")" })"
    case .deleted: "deleted"
    case .error: "failed"
    }
  }

  @Sendable static func badge(_ change: ObjectChange<Badge>) -> String {
    switch change {
    case .change(let badge, let properties):
      "\(badge.title) \(properties.map { "\($0.name)=\($0.newValue ?? "nil")" })"
    case .deleted: "deleted"
    case .error: "failed"
    }
  }

  @Sendable static func pets<C: RealmCollection>(
    _ change: RealmCollectionChange<C>
  ) -> String where C.Element == Pet {
    switch change {
    case .initial(let pets): "initial \(Array(pets.map(\.name)))"
    case .update(let pets, let deletions, let insertions, let modifications):
      "\(Array(pets.map(\.name))) \(deletions) \(insertions) \(modifications)"
    case .error: "failed"
    }
  }

  @Sendable static func map(_ change: RealmMapChange<Map<String, Pet?>>) -> String {
    switch change {
    case .initial(let map): "initial \(map.keys.sorted())"
    case .update(let map, let deletions, let insertions, let modifications):
      "\(map.keys.sorted()) \(map["hall"]??.name ?? "") \(deletions) \(insertions) "
        + "\(modifications)"
    case .error: "failed"
    }
  }

  @Sendable static func sections(
    _ change: SectionedResultsChange<SectionedResults<String, Pet>>
  ) -> String {
    switch change {
    case .initial(let sections): "initial \(sections.allKeys)"
    case .update(let sections, _, let insertions, _, let inserted, _):
      "\(sections.map { $0.map(\.name) }) \(insertions.map { Array($0) }) \(Array(inserted))"
    }
  }

  @Sendable static func section(
    _ change: SectionedResultsChange<ResultsSection<String, Pet>>
  ) -> String {
    switch change {
    case .initial(let section): "initial \(section.key)"
    case .update(let section, _, let insertions, _, _, _):
      "\(section.map(\.name)) \(insertions.map { Array($0) })"
    }
  }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct ChangesetPublisherTests {
  @Test func changesOfAnObjectEndWithoutAValue() async throws {
    let club = try await Club()
    let recorder = Recorder()
    let subscription = changesetPublisher(club.member).recorded(in: recorder, Told.member)
    try club.write { club.member.age = 4 }
    _ = await recorder.wait(for: 1)
    try club.write { club.realm.delete(club.member) }
    _ = await recorder.wait(for: 2)
    await expectEqual(recorder.settled(), [#"Ann ["age=4"]"#, "end"])
    subscription.cancel()
  }

  @Test func changesOfAProjectionEndWithoutAValue() async throws {
    let club = try await Club()
    let badge = Badge(projecting: club.member)
    let recorder = Recorder()
    let subscription = changesetPublisher(badge).recorded(in: recorder, Told.badge)
    try club.write {
      club.member.age = 4
      club.member.name = "Eve"
    }
    _ = await recorder.wait(for: 1)
    try club.write { club.realm.delete(club.member) }
    _ = await recorder.wait(for: 2)
    await expectEqual(recorder.settled(), [#"Eve ["title=Eve"]"#, "end"])
    subscription.cancel()
  }

  @Test func changesOfCollections() async throws {
    let club = try await Club()
    let rex = club.member.pets[0]
    let texts = try await changesetPublisher(club.member.pets).told(2, first: 1, Told.pets) {
      try club.addPet("Bo")
    }
    expectEqual(texts, [#"initial ["Rex"]"#, #"["Rex", "Bo"] [] [1] []"#])
    let results = try await club.pets.changesetPublisher.told(2, first: 1, Told.pets) {
      try club.write { rex.age = 2 }
    }
    expectEqual(results, [#"initial ["Bo", "Rex"]"#, #"["Bo", "Rex"] [] [] [1]"#])
  }

  private func keyed<M: RealmKeyedCollection>(_ map: M) -> RealmPublishers.MapChangeset<M> {
    changesetPublisher(map)
  }

  @Test func changesOfMaps() async throws {
    let club = try await Club()
    let map = club.member.byRoom
    for (room, publisher) in [
      ("kitchen", map.changesetPublisher), ("loft", changesetPublisher(map)), ("yard", keyed(map)),
    ] {
      let before = map.keys.sorted()
      let texts = try await publisher.told(2, first: 1, Told.map) {
        try club.write { map[room] = club.member.pets[0] }
      }
      expectEqual(
        texts, ["initial \(before)", "\((before + [room]).sorted()) Rex [] \([room]) []"])
    }
  }

  @Test func changesOfSections() async throws {
    let club = try await Club()
    let section = try #require(club.sections.first)
    for publisher in [club.sections.changesetPublisher, changesetPublisher(club.sections)] {
      let texts = try await publisher.told(2, first: 1, Told.sections) { try club.addPet("Zoe") }
      expectEqual(texts, [#"initial ["R"]"#, #"[["Rex"], ["Zoe"]] [[1, 0]] [1]"#])
      try club.write { club.realm.delete(club.member.pets[1]) }
    }
    for publisher in [section.changesetPublisher, changesetPublisher(section)] {
      let texts = try await publisher.told(2, first: 1, Told.section) { try club.addPet("Rob") }
      expectEqual(texts, ["initial R", #"["Rex", "Rob"] [[0, 1]]"#])
      try club.write { club.realm.delete(club.member.pets[1]) }
    }
  }
}
#endif
