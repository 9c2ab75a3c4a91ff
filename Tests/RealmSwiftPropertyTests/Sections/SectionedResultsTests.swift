// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmQuery
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@MainActor @Suite(.timeLimit(.minutes(10))) struct SectionedResultsTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm() }

  private func open(_ names: [String]) async throws -> Realm {
    let realm = try await Realm(configuration: file.configuration)
    try realm.write {
      for (id, name) in names.enumerated() {
        realm.create(Person.self, value: ["id": id, "name": name, "age": id % 2])
      }
    }
    return realm
  }

  private func initials(_ realm: Realm) -> SectionedResults<String, Person> {
    realm.objects(Person.self).sectioned(
      by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
  }

  @Test func sectionsShowThePresentState() async throws {
    let realm = try await open(["Bea", "Ann", "Ada", "Bob"])
    let sections = initials(realm)
    let first = sections[0]
    expectEqual(sections.allKeys, ["A", "B"])
    expectEqual(sections.count, 2)
    expectEqual(first.key, "A")
    expectEqual(first.id, "A")
    expectEqual(first.map(\.name), ["Ada", "Ann"])
    expectEqual(sections[IndexPath(item: 1, section: 1)].name, "Bob")
    expectEqual(sections.map { $0.map(\.name) }, [["Ada", "Ann"], ["Bea", "Bob"]])
    try realm.write {
      realm.create(Person.self, value: ["id": 9, "name": "Cid"])
      realm.delete(first)
      expectEqual(sections.allKeys, ["B", "C"])
    }
    expectTrue(first.isEmpty)
    expectEqual(sections[1].first?.id, 9)
    expectTrue(sections[0] == sections[0])
    let text = withoutAddresses(sections)
    expectTrue(text.hasPrefix("SectionedResults<String, Person> <0x> (\n"))
    #expect(text.contains("ResultsSection<String, Person> <0x> C (\n\t\t[0] Person {"))
  }

  @Test func propertiesAndValuesMakeSections() async throws {
    let realm = try await open(["c", "a", "b"])
    let people = realm.objects(Person.self)
    expectEqual(people.sectioned(by: \.age).map { $0.map(\.id) }, [[0, 2], [1]])
    expectEqual(people.sectioned(by: \.age, ascending: false).allKeys, [1, 0])
    let sorted: [RealmSwift.SortDescriptor] = [
      .init(keyPath: "age"), .init(keyPath: "name"),
    ]
    expectEqual(
      people.sectioned(by: \.age, sortDescriptors: sorted).map { $0.map(\.id) }, [[2, 0], [1]])
    expectEqual(people.sectioned(by: \.height).allKeys, [nil])
    let person = try #require(people.first)
    try realm.write { person.nicknames.append(objectsIn: ["xa", "yb", "xc"]) }
    let names = person.nicknames.sectioned(by: { String($0.prefix(1)) }, ascending: false)
    expectTrue(names.allKeys == ["y", "x"] && names[1].map(\.self) == ["xc", "xa"])
  }

  @Test func frozenThawedAndHandedOver() async throws {
    let realm = try await open(["Bea", "Ann"])
    let sections = initials(realm)
    let frozen = sections.freeze()
    let section = sections[1].freeze()
    try realm.write { realm.deleteAll() }
    expectTrue(frozen.isFrozen)
    expectEqual(frozen.allKeys, ["A", "B"])
    expectEqual(section.map(\.name), ["Bea"])
    expectEqual(frozen.thaw()?.count, 0)
    expectEqual(section.thaw()?.isEmpty, true)
    expectTrue(sections.isEmpty)
    try realm.write { realm.create(Person.self, value: ["id": 5, "name": "Dan"]) }
    let reference = ThreadSafeReference(to: sections)
    let configuration = file.configuration
    let keys = try await Task.detached {
      try Realm(configuration: configuration).resolve(reference)?.allKeys
    }.value
    expectEqual(keys, ["D"])
  }

  /// `SectionedState` 2: it may even ask for the sections that it is called for.
  @Test func theCodeThatNamesSectionsMayRead() async throws {
    let realm = try await open(["Bea", "Ann", "Bob"])
    func expectSections(_ people: Results<Person>) {
      var sections: SectionedResults<String, Person>?
      var counts: [Int?] = []
      sections = people.sectioned(
        by: { (person: Person) -> String in
          if counts.isEmpty {
            counts = [nil]
            counts = [people.count, sections?.count]
          }
          return String(person.name.prefix(1))
        }, sortDescriptors: ["name"])
      expectEqual(sections?.allKeys, ["A", "B"])
      expectEqual(counts, [3, 2])
    }
    expectSections(realm.objects(Person.self))
    expectSections(realm.objects(Person.self).freeze())
  }

  // MARK: Observing

  /// A change that an observer of sections was notified of.
  enum Told: Equatable, Sendable {
    case initial(Int)
    case update(SectionChanges)

    init<C: Collection>(_ change: SectionedResultsChange<C>) {
      switch change {
      case .initial(let sections): self = .initial(sections.count)
      case .update(_, let deletions, let insertions, let modifications, let come, let go):
        var changes = SectionChanges()
        changes.deletions = deletions
        changes.insertions = insertions
        changes.modifications = modifications
        changes.sectionsToInsert = come
        changes.sectionsToDelete = go
        self = .update(changes)
      }
    }
  }

  @Test func changesNameSectionsAndItems() async throws {
    let realm = try await open(["Ann", "Bea", "Bob", "Dan"])
    let told = Recorder<Told>()
    let toldOfB = Recorder<Told>()
    let sections = initials(realm)
    let tokens = [
      sections.observe { told.add(Told($0)) }, sections[1].observe { toldOfB.add(Told($0)) },
    ]
    await expectEqual(told.wait(for: 1), [.initial(3)])
    await expectEqual(toldOfB.wait(for: 1), [.initial(2)])
    try await writeElsewhere(file.configuration) { realm in
      let people = realm.objects(Person.self)
      realm.create(Person.self, value: ["id": 9, "name": "Cid"])
      realm.delete(people.where { $0.name == "Ann" })
      people.where { $0.name == "Bea" }.first?.age = 70
      people.where { $0.name == "Bob" }.first?.name = "Dob"
    }
    var expected = SectionChanges()
    expected.deletions = [[1, 1]]
    expected.insertions = [[1, 0], [2, 1]]
    expected.modifications = [[1, 0]]
    expected.sectionsToDelete = [0]
    expected.sectionsToInsert = [1]
    await expectEqual(told.wait(for: 2).last, .update(expected))
    var ofB = SectionChanges()
    ofB.deletions = [[1, 1]]
    ofB.modifications = [[1, 0]]
    await expectEqual(toldOfB.wait(for: 2).last, .update(ofB))
    try realm.write { realm.objects(Person.self).where { $0.name == "Cid" }.first?.age = 1 }
    await expectEqual(told.wait(for: 3).count, 3)
    await expectEqual(toldOfB.settled().count, 2)
    for token in tokens { token.invalidate() }
  }

  /// What a transaction did of which the observer is not told is part of the old sections.
  @Test func sectionsOfATransactionThatIsNotToldAreKnown() async throws {
    let realm = try await open(["Bea", "Dan"])
    let told = Recorder<Told>()
    let token = initials(realm).observe { told.add(Told($0)) }
    _ = await told.wait(for: 1)
    func add(_ id: Int, _ name: String) {
      realm.create(Person.self, value: ["id": id, "name": name] as [String: Any])
    }
    try realm.write(withoutNotifying: [token]) {
      add(8, "Ann")
      add(9, "Cid")
    }
    try realm.write {
      realm.delete(realm.objects(Person.self).where { $0.name == "Cid" })
      add(10, "Eve")
      add(11, "Abe")
    }
    var expected = SectionChanges()
    expected.insertions = [[0, 0], [3, 0]]
    expected.sectionsToDelete = [2]
    expected.sectionsToInsert = [3]
    await expectEqual(told.wait(for: 2).last, .update(expected))
    token.invalidate()
  }

  /// An element whose sort key changed, but not its place, is modified only where nothing else
  /// happened in its section.
  /// `SectionChanges` 4, `ResultChanges` 3.
  @Test func changedSortKeysMoveWhereMoreHappened() async throws {
    let realm = try await open(["Ann", "Ava", "Bea", "Bob", "Bud"])
    let (told, toldOfB) = (Recorder<Told>(), Recorder<Told>())
    let sections = initials(realm)
    let tokens = [
      sections.observe { told.add(Told($0)) }, sections[1].observe { toldOfB.add(Told($0)) },
    ]
    _ = (await told.wait(for: 1), await toldOfB.wait(for: 1))
    var calls = 1
    func write(
      _ expected: SectionChanges, ofB: SectionChanges? = nil, _ body: (Results<Person>) -> Void
    ) async throws {
      try realm.write { body(realm.objects(Person.self)) }
      calls += 1
      await expectEqual(told.wait(for: calls).last, .update(expected))
      await expectEqual(toldOfB.wait(for: calls).last, .update(ofB ?? expected))
    }
    func rename(_ old: String, _ new: String) {
      realm.objects(Person.self).where { $0.name == old }.first?.name = new
    }
    var changes = SectionChanges()
    changes.modifications = [[1, 0]]
    try await write(changes) { _ in rename("Bea", "Bec") }
    changes = SectionChanges()
    (changes.deletions, changes.insertions) = ([[1, 1]], [[1, 1], [1, 3]])
    try await write(changes) { _ in
      rename("Bob", "Bop")
      realm.create(Person.self, value: ["id": 9, "name": "Bzz"])
    }
    // What happens in another section does not count.
    var ofB = SectionChanges()
    ofB.modifications = [[1, 1]]
    changes = SectionChanges()
    changes.modifications = [[0, 0], [1, 1]]
    try await write(changes, ofB: ofB) { people in
      rename("Bop", "Boq")
      people.where { $0.name == "Ann" }.first?.age = 9
    }
    // Changes beside the sort key count, and stay modifications themselves.
    changes = SectionChanges()
    (changes.deletions, changes.insertions) = ([[1, 1], [1, 3]], [[1, 1], [1, 3]])
    changes.modifications = [[1, 0]]
    try await write(changes) { people in
      people.where { $0.name == "Bec" }.first?.age = 9
      rename("Boq", "Bor")
      rename("Bzz", "Bzy")
    }
    for token in tokens { token.invalidate() }
  }

  @Test func changedSortKeysInAListMoveWhereMoreHappened() async throws {
    let realm = try await open(["Ann"])
    let person = try #require(realm.objects(Person.self).first)
    try realm.write {
      person.dogs.append(objectsIn: ["Ada", "Bo", "By"].map { Dog(value: ["name": $0]) })
    }
    let told = Recorder<Told>()
    let token = person.dogs.sectioned(
      by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"]
    ).observe { told.add(Told($0)) }
    _ = await told.wait(for: 1)
    try realm.write { person.dogs[1].name = "Bp" }
    var changes = SectionChanges()
    changes.modifications = [[1, 0]]
    await expectEqual(told.wait(for: 2).last, .update(changes))
    try realm.write {
      person.dogs[1].name = "Bq"
      person.dogs[2].age = 3
    }
    changes = SectionChanges()
    (changes.deletions, changes.insertions) = ([[1, 0]], [[1, 0]])
    changes.modifications = [[1, 1]]
    await expectEqual(told.wait(for: 3).last, .update(changes))
    token.invalidate()
  }

  /// See `InitialCallTests`.
  @Test func sectionsAreToldOfTheStateBefore() async throws {
    let realm = try await open(["Ann"])
    let told = Recorder<Told>()
    let sections = realm.objects(Person.self).sectioned(by: \.name)
    let tokens = [
      sections.observe { told.add(Told($0)) }, sections[0].observe { told.add(Told($0)) },
    ]
    realm.beginWrite()
    expectEqual(told.all, [.initial(1), .initial(1)])
    realm.create(Person.self, value: ["id": 7, "name": "Ann"])
    try realm.commitWrite()
    _ = await told.wait(for: 4)
    expectTrue(told.all.count == 4 && told.all[2] == told.all[3] && told.all[2] != .initial(1))
    for token in tokens { token.invalidate() }
  }

  @Test func queuesAndActors() async throws {
    let realm = try await open(["Ann"])
    let sections = initials(realm)
    let told = Recorder<Told>()
    let queue = DispatchQueue(label: "sections")
    let first = sections.observe(keyPaths: ["name"], on: queue) { told.add(Told($0)) }
    _ = await told.wait(for: 1)
    let other = Recorder<Told>()
    actor Place {}
    let place = Place()
    let second = await sections.observe(keyPaths: [\.name], on: place) { _, change in
      other.add(Told(change))
    }
    await expectEqual(other.wait(for: 1), [.initial(1)])
    try realm.write { realm.objects(Person.self).first?.age = 3 }
    try realm.write { realm.create(Person.self, value: ["id": 7, "name": "Bea"]) }
    var expected = SectionChanges()
    expected.insertions = [[1, 0]]
    expected.sectionsToInsert = [1]
    await expectEqual(told.wait(for: 2).last, .update(expected))
    await expectEqual(other.wait(for: 2).last, .update(expected))
    first.invalidate()
    second.invalidate()
  }

  /// `SectionChanges` 2 and 3.
  @Test(arguments: [nil, ["name"]]) func queuesHearWhatTheMainThreadHears(
    keyPaths: [String]?
  ) async throws {
    let realm = try await open(["Ann", "Ava", "Bea", "Bob", "Cid"])
    let sections = initials(realm)
    let (here, there, cHere) = (Recorder<Told>(), Recorder<Told>(), Recorder<Told>())
    let cThere = Recorder<Told>()
    let queue = DispatchQueue(label: "sections")
    let tokens = [
      sections.observe(keyPaths: keyPaths) { here.add(Told($0)) },
      sections.observe(keyPaths: keyPaths, on: queue) { there.add(Told($0)) },
      sections[2].observe(keyPaths: keyPaths) { cHere.add(Told($0)) },
      sections[2].observe(keyPaths: keyPaths, on: queue) { cThere.add(Told($0)) },
    ]
    for recorder in [here, there, cHere, cThere] { _ = await recorder.wait(for: 1) }
    let people = realm.objects(Person.self)
    func rename(_ old: String, _ new: String) throws {
      try realm.write { people.where { $0.name == old }.first?.name = new }
    }
    // To another section, within the section, and to a new section.
    var moved = SectionChanges()
    (moved.deletions, moved.insertions) = ([[0, 0]], [[1, 2]])
    try rename("Ann", "Bud")
    await expectEqual(here.wait(for: 2).last, .update(moved))
    await expectEqual(there.wait(for: 2).last, .update(moved))
    (moved.deletions, moved.insertions) = ([[1, 0]], [[1, 2]])
    try rename("Bea", "Bus")
    await expectEqual(here.wait(for: 3).last, .update(moved))
    await expectEqual(there.wait(for: 3).last, .update(moved))
    // A section that goes takes its elements along.
    var gone = SectionChanges()
    gone.sectionsToDelete = [2]
    try realm.write { realm.delete(people.where { $0.name == "Cid" }) }
    await expectEqual(here.wait(for: 4).last, .update(gone))
    await expectEqual(there.wait(for: 4).last, .update(gone))
    await expectEqual(cHere.wait(for: 2).last, .update(gone))
    await expectEqual(cThere.wait(for: 2).last, .update(gone))
    for token in tokens { token.invalidate() }
  }

  /// Applying the changes to a copy gives the new state, whatever they are.
  /// `SectionChanges` 1 and 3.
  @Test func changesReplay() {
    var generator = SeededGenerator(seed: 5)
    var old: [(id: Int, key: Int)] = []
    var nextID = 0
    for _ in 0..<300 {
      var new = old
      var set = Set<Int>()
      for _ in 0..<Int.random(in: 0..<4, using: &generator) where !new.isEmpty {
        new.remove(at: Int.random(in: 0..<new.count, using: &generator))
      }
      for index in new.indices where Int.random(in: 0..<6, using: &generator) == 0 {
        new[index].key = Int.random(in: 0..<5, using: &generator)
        set.insert(new[index].id)
      }
      for _ in 0..<Int.random(in: 0..<4, using: &generator) {
        let key = Int.random(in: 0..<5, using: &generator)
        new.insert((nextID, key), at: Int.random(in: 0...new.count, using: &generator))
        nextID += 1
      }
      replay(old, new, modified: set)
      old = new
    }
  }

  private func replay(
    _ old: [(id: Int, key: Int)], _ new: [(id: Int, key: Int)], modified: Set<Int>
  ) {
    let oldIDs = Set(old.map(\.id))
    let newIDs = Set(new.map(\.id))
    let before = SectionLayout(old.map(\.key))
    let after = SectionLayout(new.map(\.key))
    let changes = SectionChanges(
      from: before, to: after,
      ResultChanges(
        deletions: old.indices.filter { !newIDs.contains(old[$0].id) },
        insertions: new.indices.filter { !oldIDs.contains(new[$0].id) },
        modifications: old.indices.filter {
          newIDs.contains(old[$0].id) && modified.contains(old[$0].id)
        }))
    var copy = before.keys.indices.map { before.positions(in: $0).joined().map { old[$0].id } }
    let target = after.keys.indices.map { after.positions(in: $0).joined().map { new[$0].id } }
    for path in changes.deletions.reversed() { copy[path[0]].remove(at: path[1]) }
    for section in changes.sectionsToDelete.reversed() {
      #expect(!changes.deletions.contains { $0[0] == section })
      copy.remove(at: section)
    }
    for section in changes.sectionsToInsert { copy.insert([], at: section) }
    for path in changes.insertions { copy[path[0]].insert(target[path[0]][path[1]], at: path[1]) }
    expectEqual(copy, target)
  }

  // MARK: Texts

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func misuse() async {
    let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let people = try Misuse.realmWithPerson().realm.objects(Person.self)
      _ = people.sectioned(by: \.age, sortDescriptors: ["name"])
    }
    expect("The section key path must match the primary sort descriptor.", in: other)
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let people = try Misuse.realmWithPerson().realm.objects(Person.self)
      _ = people.sectioned(by: \.age, sortDescriptors: [])
    }
    expect("Can not section Results with empty sortDescriptor parameter.", in: none)
    let block = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let people = try Misuse.realmWithPerson().realm.objects(Person.self)
      _ = people.sectioned(sortDescriptors: []) { $0.age }
    }
    expect("There must be at least one SortDescriptor when using SectionedResults.", in: block)
    let link = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let people = try Misuse.realmWithPerson().realm.objects(Person.self)
      _ = people.sectioned(by: \.best)
    }
    expect("Links are not supported as section keys.", in: link)
    let index = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let people = try Misuse.realmWithPerson().realm.objects(Person.self)
      _ = people.sectioned(by: \.age)[1]
    }
    expect("Index 1 is out of bounds (must be less than 1).", in: index)
  }
}
