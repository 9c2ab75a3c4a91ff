// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

class Card: Projection<Person> {
  @Projected(\Person.name) var title
  @Projected(\Person.best?.name) var bestFriend
  @Projected(\Person.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
  @Projected(\Person.nicknames) var names: List<String>
}

private final class IdentifiedCard: Projection<Person>, ObjectKeyIdentifiable {
  @Projected(\Person.name) var title
}

extension ObjectChange where ObjectType: ProjectionObservable {
  /// The class of the projection, and the names of the properties that were set.
  fileprivate var names: String {
    guard case .change(let projection, let changes) = self else { return "none" }
    return "\(type(of: projection)) \(changes.map(\.name))"
  }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct ProjectionTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm() }

  private func open() async throws -> (Realm, Person) {
    let realm = try await Realm(configuration: file.configuration)
    let person = try realm.write {
      realm.create(Person.self, value: ["id": 9, "name": "Zoe", "age": 3])
      return realm.create(
        Person.self,
        value: [
          "id": 1, "name": "Ann", "dogs": [["name": "A"], ["name": "B"]],
          "best": ["name": "C"], "nicknames": ["x"],
        ])
    }
    return (realm, person)
  }

  // MARK: Superclasses

  /// What a projection is known as must not matter: in release builds, the optimizer knows the
  /// class that a program has written where a debug build asks the instance.
  @Test func aProjectionKnownAsItsSuperclassIsObservedAndHandedOverAsItsOwn() async throws {
    let (realm, person) = try await open()
    let told = Recorder<String>()
    let card: Projection<Person> = Card(projecting: person)
    func observe<P: ProjectionObservable>(_ projection: P, _ place: String) -> NotificationToken {
      projection.observe { change in
        guard case .change(let projection, let changes) = change else { return }
        told.add("\(place): \(type(of: projection)) \(changes.map(\.name))")
      }
    }
    let queue = DispatchQueue(label: "superclass")
    let tokens = [
      observe(card, "generic"),
      card.observe { told.add("here: \($0.names)") },
      card.observe(on: queue) { told.add("queue: \($0.names)") },
      card.observe(keyPaths: ["name"]) { told.add("named: \($0.names)") },
      await card.observe(on: MainActor.shared) { _, change in told.add("actor: \(change.names)") },
    ]
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    try realm.write { person.name = "Anna" }
    await expectEqual(
      told.wait(for: 5).sorted(),
      [
        "actor: Card [\"title\"]", "generic: Card [\"title\"]", "here: Card [\"title\"]",
        "named: Card [\"title\"]", "queue: Card [\"title\"]",
      ])
    expectTrue(card.freeze() is Card)
    expectTrue(card.freeze().thaw() is Card)
    expectTrue(realm.resolve(ThreadSafeReference(to: card)) is Card)
    expectTrue(ThreadSafe(wrappedValue: card).wrappedValue is Card)
    for token in tokens { token.invalidate() }
  }

  // MARK: Objects

  @Test func projectionsOfOneObjectHaveOneIdentity() async throws {
    let (realm, person) = try await open()
    let card = IdentifiedCard(projecting: person)
    expectEqual(card.id, IdentifiedCard(projecting: person).id)
    let other = try #require(realm.object(ofType: Person.self, forPrimaryKey: 9))
    expectTrue(card.id != IdentifiedCard(projecting: other).id)
    let loose = Person()
    expectEqual(IdentifiedCard(projecting: loose).id, IdentifiedCard(projecting: loose).id)
    expectTrue(IdentifiedCard(projecting: loose).id != card.id)
  }

  @Test func propertiesAreThoseOfTheObject() async throws {
    let (realm, person) = try await open()
    let card = Card(projecting: person)
    expectEqual(card.title, "Ann")
    expectEqual(card.bestFriend, "C")
    expectTrue(card.rootObject === person)
    expectEqual(Array(card.dogNames), ["A", "B"])
    expectEqual(card.names.first, "x")
    try realm.write {
      card.title = "Bea"
      card.dogNames[1] = "D"
      card.names.append("y")
      person.best = nil
    }
    expectEqual(person.name, "Bea")
    expectEqual(person.dogs[1].name, "D")
    expectEqual(person.nicknames.count, 2)
    expectTrue(card.bestFriend == nil)
    expectEqual(card, Card(projecting: person))
    expectEqual(Set([card, Card(projecting: person)]).count, 1)
    expectEqual(
      withoutAddresses(card),
      """
      Card<Person> <0x> {
      \ttitle(\\.name) = Bea;
      \tbestFriend(\\.best.name) = (null);
      \tdogNames(\\.dogs.name) = ProjectedCollection<String> <0x> (
      \t\t[0] A,
      \t\t[1] D
      \t);
      \tnames(\\.nicknames) = List<string> <0x> (
      \t\t[0] x,
      \t\t[1] y
      \t);
      }
      """)
    expectEqual(Card(projecting: Person(value: ["name": "Q"])).title, "Q")
    try realm.write { realm.delete(person) }
    expectTrue(card.isInvalidated)
    expectEqual(card.realm, realm)
  }

  private final class Sheet: Projection<AllTypes> {
    @Projected(\AllTypes.bool) var isOn
    @Projected(\AllTypes.data) var bytes
    @Projected(\AllTypes.optionalInt) var number
  }

  private final class Home: Projection<Person> {
    @Projected(\Person.best) var best
    @Projected(\Person.dogs.projectTo.age) var ages: ProjectedCollection<Int>
  }

  private final class Flag: Object {
    @Persisted var isUp = false
    @Persisted var colors: Data?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private final class Mast: Object {
    @Persisted var flags: List<Flag>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func descriptionsOfProjectedCollections() {
    let mast = Mast(value: ["flags": [["isUp": true], ["colors": Data([1, 255])]]])
    expectTrue("\(mast.flags.projectTo.isUp)".hasSuffix(" (\n\t[0] 1,\n\t[1] 0\n)"))
    #expect(
      "\(mast.flags.projectTo.colors)"
        .hasSuffix(" (\n\t[0] (null),\n\t[1] <01ff — 2 total bytes>\n)"))
  }

  /// Values are described as those of objects are.
  @Test func descriptionsOfValues() async throws {
    let sheet = Sheet(projecting: AllTypes(value: ["bool": true, "data": Data([1, 255])]))
    expectEqual(
      withoutAddresses(sheet),
      """
      Sheet<AllTypes> <0x> {
      \tisOn(\\.bool) = 1;
      \tbytes(\\.data) = <01ff — 2 total bytes>;
      \tnumber(\\.optionalInt) = (null);
      }
      """)
    let (realm, person) = try await open()
    let home = Home(projecting: person)
    expectEqual(
      withoutAddresses(home),
      """
      Home<Person> <0x> {
      \tbest(\\.best) = Dog {
      \t\tname = C;
      \t\tage = 0;
      \t};
      \tages(\\.dogs.age) = ProjectedCollection<Int> <0x> (
      \t\t[0] 0,
      \t\t[1] 0
      \t);
      }
      """)
    try realm.write { person.dogs.append(objectsIn: (0..<101).map { _ in Dog() }) }
    expectTrue("\(home.ages)".hasSuffix("[99] 0,\n\t... 3 objects skipped.\n)"))
    expectTrue("\(person.dogs.projectTo.name)".contains("\t[2] ,\n"))
  }

  @Test func frozenThawedAndHandedOver() async throws {
    let (realm, person) = try await open()
    let card = Card(projecting: person)
    let frozen = card.freeze()
    let names = card.dogNames.freeze()
    try realm.write {
      person.name = "Eve"
      person.dogs.removeAll()
    }
    expectTrue(frozen.isFrozen)
    expectEqual(frozen.title, "Ann")
    expectEqual(frozen.thaw()?.title, "Eve")
    expectTrue(names.isFrozen)
    expectEqual(Array(names), ["A", "B"])
    expectEqual(names.thaw()?.isEmpty, true)
    expectEqual(names.thaw(), card.dogNames)
    let reference = ThreadSafeReference(to: card)
    let collection = ThreadSafeReference(to: card.dogNames)
    let configuration = file.configuration
    let found = try await Task.detached {
      let realm = try Realm(configuration: configuration)
      return [realm.resolve(reference)?.title, realm.resolve(collection).map { "\($0.count)" }]
    }.value
    expectEqual(found, ["Eve", "0"])
  }

  // MARK: Results

  @Test func resultsOfProjections() async throws {
    let (realm, person) = try await open()
    let cards = realm.objects(Card.self)
    expectEqual(cards.count, 2)
    expectEqual(Set(cards.map(\.title)), ["Ann", "Zoe"])
    let sorted = cards.sorted(by: \.title, ascending: false)
    expectTrue(sorted.map(\.title) == ["Zoe", "Ann"] && sorted[1].dogNames.count == 2)
    expectEqual(cards.sorted(byKeyPath: "age").first?.title, "Zoe")
    expectEqual(cards.where { $0.dogs.name == "B" }.map(\.title), ["Ann"])
    expectEqual(cards.filter("name == %@", "Zoe").first?.title, "Zoe")
    expectEqual(sorted.index(of: Card(projecting: person)), 1)
    expectEqual(sorted.index(matching: { $0.name == "Ann" }), 1)
    expectTrue(sorted.freeze()[0].isFrozen)
    expectEqual(sorted.last?.rootObject.id, 1)
    expectEqual(cards.sectioned(by: \.title).allKeys, ["Ann", "Zoe"])
    try realm.write { for card in cards { card.title += "!" } }
    #expect(realm.objects(Person.self).allSatisfy { $0.name.hasSuffix("!") })
  }

  @Test func projectedSetsAndSearch() async throws {
    let file = try TemporaryRealm.ofShelves()
    let realm = try file.open()
    let shelf = try realm.write {
      realm.create(
        Shelf.self, value: ["id": 1, "dogs": [["name": "A", "age": 1], ["name": "B", "age": 2]]])
    }
    let ages = shelf.dogs.projectTo.age
    expectEqual(ages.map(\.self), [1, 2])
    expectEqual(ages.index(of: 2), 1)
    expectEqual(ages.last, 2)
    let person = try realm.write {
      realm.create(Person.self, value: ["id": 1, "dogs": Array(shelf.dogs)])
    }
    expectEqual(person.dogs.projectTo.age.index(matching: "name == %@", "B"), 1)
    expectTrue(person.dogs.projectTo.age != person.dogs.projectTo.age.freeze())
    expectEqual(_name(for: \Person.dogs.projectTo.age), "dogs.age")
  }

  // MARK: Observing

  @Test func observersHearOfWhatIsShown() async throws {
    let (realm, person) = try await open()
    let card = Card(projecting: person)
    let told = Recorder<[String]>()
    let toldOfTitle = Recorder<[String]>()
    func names(_ change: ObjectChange<Card>) -> [String] {
      switch change {
      case .change(_, let changes):
        changes.map { "\($0.name): \($0.newValue as? String ?? "-")" }.sorted()
      case .deleted: ["deleted"]
      case .error: ["error"]
      }
    }
    let tokens = [
      card.observe { told.add(names($0)) },
      card.observe(keyPaths: ["name"]) { toldOfTitle.add(names($0)) },
      card.observe(keyPaths: [\.title]) { toldOfTitle.add(names($0)) },
    ]
    try realm.write { person.age = 70 }
    try realm.write { person.name = "Eve" }
    await expectEqual(told.wait(for: 1), [["title: Eve"]])
    await expectEqual(toldOfTitle.wait(for: 2), [["title: Eve"], ["title: Eve"]])
    try realm.write { person.best?.name = "F" }
    await expectEqual(told.wait(for: 2).last, ["bestFriend: F"])
    try realm.write { person.dogs[0].name = "G" }
    await expectEqual(told.wait(for: 3).last, ["dogNames: -"])
    try realm.write { realm.delete(person) }
    await expectEqual(told.wait(for: 4).last, ["deleted"])
    await expectEqual(toldOfTitle.settled().count, 4)
    for token in tokens { token.invalidate() }
  }

  @Test func actorsAndQueuesObserveProjections() async throws {
    let (realm, person) = try await open()
    let told = Recorder<String>()
    actor Place {}
    let place = Place()
    let first = await Card(projecting: person).observe(on: place) { _, change in
      if case .change(let card, _) = change { told.add("actor \(card.title)") }
    }
    let second = Card(projecting: person).observe(on: DispatchQueue(label: "cards")) { change in
      if case .change(let card, _) = change { told.add("queue \(card.title)") }
    }
    try await Task.sleep(for: .milliseconds(50))
    try realm.write { person.name = "Eve" }
    await expectEqual(told.wait(for: 2).sorted(), ["actor Eve", "queue Eve"])
    first.invalidate()
    second.invalidate()
  }

  @Test func collectionsAreObserved() async throws {
    let (realm, person) = try await open()
    let told = Recorder<ToldChange>()
    let toldOfNames = Recorder<ToldChange>()
    let cards = realm.objects(Card.self).sorted(by: \.title)
    let tokens = [
      cards.observe { told.add(ToldChange($0)) },
      person.dogs.projectTo.name.observe { toldOfNames.add(ToldChange($0)) },
    ]
    await expectEqual(told.wait(for: 1), [.initial(count: 2)])
    await expectEqual(toldOfNames.wait(for: 1), [.initial(count: 2)])
    try realm.write {
      person.age = 80
      person.dogs[0].age = 5
    }
    try realm.write { person.dogs[1].name = "H" }
    let ofDogs = ToldChange.update(count: 2, deletions: [], insertions: [], modifications: [1])
    await expectEqual(toldOfNames.wait(for: 2).last, ofDogs)
    let ofCards = ToldChange.update(count: 2, deletions: [], insertions: [], modifications: [0])
    await expectEqual(told.wait(for: 2).last, ofCards)
    try realm.write { person.dogs.remove(at: 0) }
    await expectEqual(
      toldOfNames.wait(for: 3).last,
      .update(count: 1, deletions: [0], insertions: [], modifications: []))
    for token in tokens { token.invalidate() }
  }

  // MARK: Texts

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func changesTellWhatIsShown() async throws {
    let (realm, person) = try await open()
    let card = Card(projecting: person)
    let told = Recorder<[String]>()
    let token = card.observe { change in
      guard case .change(let card, let changes) = change else { return }
      told.add(
        changes.map { change in
          func text(_ value: Any?) -> String {
            switch value {
            case let names as ProjectedCollection<String>:
              names == card.dogNames ? names.joined(separator: "+") : "other"
            case let names as List<String>:
              names == card.names ? names.joined(separator: "+") : "other"
            default: value.map { "\($0)" } ?? "nil"
            }
          }
          return "\(change.name): \(text(change.oldValue)) > \(text(change.newValue))"
        })
    }
    try realm.write { person.nicknames.append("y") }
    await expectEqual(told.wait(for: 1).last, ["names: nil > x+y"])
    try await writeElsewhere(file.configuration) { realm in
      let person = realm.object(ofType: Person.self, forPrimaryKey: 1)
      person?.best?.name = "D"
      person?.name = "Eve"
    }
    await expectEqual(
      told.wait(for: 2).last, ["title: Ann > Eve", "bestFriend: C > D"], "\(told.all)")
    try await writeElsewhere(file.configuration) { realm in
      realm.object(ofType: Person.self, forPrimaryKey: 1)?.dogs[0].name = "E"
    }
    await expectEqual(told.wait(for: 3).last, ["dogNames: E+B > E+B"])
    token.invalidate()
  }

  @MainActor private static func observeOnMainActor(
    _ observe: @MainActor (Person) -> NotificationToken
  ) async throws {
    let file = try TemporaryRealm()
    let realm = try await Realm(configuration: file.configuration)
    _ = observe(try realm.write { realm.create(Person.self, value: ["id": 1]) })
    withExtendedLifetime(file) {}
  }

  class Plain: Object {
    @Persisted var number: Int
    var note = "not stored"

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class PlainCard: Projection<Plain> {
    @Projected(\Plain.note) var text
  }

  @Test func whatIsNotStoredCannotBeProjected() async {
    let shown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([Plain.self]).open()
      try realm.write { realm.create(Plain.self) }
      _ = realm.objects(PlainCard.self).first?.text
    }
    expect("@Projected property 'text' must be a part of Realm object", in: shown)
  }

  class Outside: Projection<Person> {
    @Projected(\Person.description) var text
  }

  @Test func misuse() async {
    let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Card(projecting: Person()).bestFriend = "A"
    }
    expect("KeyPath is not writable", in: set)
    let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = try Misuse.realmWithPerson().person
      _ = Outside(projecting: person).observe { _ in }
    }
    expect("@Projected property 'text' must be a part of Realm object", in: outside)
    let name = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await Self.observeOnMainActor { person in
        Card(projecting: person).observe(keyPaths: ["title"]) { _ in }
      }
    }
    expect("property 'title' not found in object of type 'Person'", in: name)
    let along = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await Self.observeOnMainActor { person in
        person.observe(keyPaths: ["dogs.nose"]) { (_: ObjectChange<Person>) in }
      }
    }
    expect("property 'nose' not found in object of type 'Dog'", in: along)
    let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Card(projecting: Person()).observe { _ in }
    }
    expect("Only objects which are managed by a Realm support change notifications", in: unmanaged)
  }
}
