// SPDX-License-Identifier: Apache-2.0

// The texts of objects.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class Told: Object {
  @Persisted var name: String
  @Persisted var isOpen: Bool
  @Persisted var bytes: Data
  @Persisted var note: String?
  @Persisted var next: Told?
  @Persisted var numbers: List<Int>
  @Persisted var byKey: Map<String, Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct DescriptionTests {
  private static let fields = "isOpen = 1;\n\tbytes = <0aff — 2 total bytes>;\n\tnote = (null);"

  private func told(_ name: String) -> Told {
    Told(value: ["name": name, "isOpen": true, "bytes": Data([10, 255])] as [String: Any])
  }

  @Test func everyPropertyHasALine() throws {
    let object = told("A")
    object.numbers.append(objectsIn: [1, 2])
    object.byKey["k"] = 3
    let text = """
      Told {
      \tname = A;
      \t\(Self.fields)
      \tnext = (null);
      \tnumbers = List<int> <0x> (
      \t\t[0] 1,
      \t\t[1] 2
      \t);
      \tbyKey = Map<String, Int> {
      \t[k]: 3
      }
      }
      """
    let start = text.components(separatedBy: "\tbyKey")[0]
    expectTrue(withoutAddresses(object).hasPrefix(start), "\(object)")
    expectTrue(object.description.contains("k"))
    expectTrue(object.description.hasSuffix("}"))
    let realm = try TemporaryRealm([Told.self]).open()
    try realm.write { realm.add(object) }
    expectTrue(withoutAddresses(object).hasPrefix(start), "\(object)")
    expectEqual(withoutAddresses(object.freeze()), withoutAddresses(object))
    try realm.write { realm.delete(object) }
    expectEqual(object.description, "[invalid object]")
  }

  @Test func linkedObjectsAreIndented() {
    let object = told("A")
    object.next = told("B")
    #expect(
      object.description.contains("\tnext = Told {\n\t\tname = B;\n\t\tisOpen = 1;"), "\(object)")
  }

  @Test func linesOfNestedValuesStandWhereTheyBelong() {
    let row = MixedHolder()
    row.any = .fromArray([
      .string("a\nb"), .fromArray([]), .fromDictionary(["k": .fromArray([.int(1), .none])]),
    ])
    let text = """
      \tany = List<mixed> <0x> (
      \t\t[0] a
      \t\tb,
      \t\t[1] List<mixed> <0x> (
      \t\t
      \t\t),
      \t\t[2] Map<string, mixed> <0x> (
      \t\t\t[k]: List<mixed> <0x> (
      \t\t\t\t[0] 1,
      \t\t\t\t[1] (null)
      \t\t\t)
      \t\t)
      \t);
      """
    expectTrue(withoutAddresses(row).contains(text), "\(row)")
    let list = List<AnyRealmValue>()
    list.append(objectsIn: (0..<101).map { .int($0) })
    row.any = .none
    row.list.append(objectsIn: list)
    expectTrue(row.description.contains("\t\t[99] 99,\n\t\t... 1 objects skipped.\n\t);"), "\(row)")
    expectTrue(list.description.hasSuffix("\t[99] 99,\n\t... 1 objects skipped.\n)"), "\(list)")
  }

  @Test func collectionsHaveTheirOwnNames() throws {
    let realm = try TemporaryRealm.ofShelves().open()
    let (shelf, person) = try realm.write {
      (
        realm.create(
          Shelf.self, value: ["id": 1, "scores": ["a": 1], "pets": ["x": ["name": "Rex"]]]),
        realm.create(Person.self, value: ["id": 1, "dogs": [["name": "Rex"]]])
      )
    }
    func head(_ value: Any) -> String { String(withoutAddresses(value).prefix { $0 != "\n" }) }
    expectEqual(head(person.dogs), "List<Dog> <0x> (")
    expectEqual(head(shelf.tags), "MutableSet<string> <0x> (")
    expectEqual(head(realm.objects(Dog.self)), "Results<Dog> <0x> (")
    expectEqual(head(AnyRealmCollection(realm.objects(Dog.self))), "Results<Dog> <0x> (")
    expectEqual(head(person.dogs[0].owners), "LinkingObjects<Person> <0x> (")
    expectEqual(head(shelf.scores), "Map<string, int> <0x> (")
    expectEqual(head(shelf.pets), "Map<string, Dog> <0x> (")
    expectEqual(head(shelf.weights), "Map<string, double> <0x> (")
    expectEqual(head(person.dogs.projectTo.name), "ProjectedCollection<String> <0x> (")
    expectEqual(head(Dog().owners), "LinkingObjects<Person> <0x> (")
    let list = List<String>()
    let address = UInt(bitPattern: Unmanaged.passUnretained(list).toOpaque())
    expectEqual(list.description, "List<string> <0x\(String(address, radix: 16))> (\n\n)")
  }

  @Test func fiveLevelsAreShown() {
    let object = told("0")
    var last = object
    for level in 1...8 {
      let next = told("\(level)")
      last.next = next
      last = next
    }
    expectTrue(object.description.contains("name = 5;"))
    expectFalse(object.description.contains("name = 6;"))
    expectTrue(object.description.contains("next = <Maximum depth exceeded>;"))
    let ring = told("R")
    ring.next = ring
    expectTrue(ring.description.contains("<Maximum depth exceeded>"))
  }

  @Test func longDataIsCut() {
    let object = Told(value: ["bytes": Data(repeating: 1, count: 100)])
    let shown = String(repeating: "01", count: 24)
    expectTrue(object.description.contains("bytes = <\(shown) — 100 total bytes>;"))
  }

  @Test func descriptionsMayBeOverridden() {
    class Quiet: Object {
      @Persisted var name: String
      override var description: String { "quiet" }
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    expectEqual("\(Quiet())", "quiet")
  }
}
