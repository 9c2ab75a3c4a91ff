// SPDX-License-Identifier: Apache-2.0

// Ownership of embedded objects in every place, and the rules of their classes.

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

private class Leaf: EmbeddedObject {
  @Persisted var name: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Branch: EmbeddedObject {
  @Persisted var name: String
  @Persisted var leaf: Leaf?
  @Persisted var leaves: List<Leaf>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Tree: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var name: String
  @Persisted var branch: Branch?
  @Persisted var branches: List<Branch>
  @Persisted var byName: Map<String, Branch?>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Event: AsymmetricObject {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var text: String
}

private enum Bad {
  class Lonely: EmbeddedObject { @Persisted var a: Int }
  class Ring: EmbeddedObject { @Persisted var next: Link? }
  class Link: EmbeddedObject { @Persisted var rings: List<Ring> }
  class Holder: Object {
    @Persisted var ring: Ring?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
  class Alias: Object {
    @Persisted var first: Int
    @Persisted var second: Int
    override class func propertiesMapping() -> [String: String] { ["first": "second"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
  class ToEvent: Object {
    @Persisted var event: Event?
    @Persisted var events: MutableSet<Leaf>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct EmbeddedAndAsymmetricTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm([Tree.self, Branch.self, Leaf.self]) }

  private func leafCount(_ realm: Realm) throws -> Int {
    try realm.core.classes[Leaf.self].table.objectCount()
  }

  @Test func everythingOwnedGoesWithItsOwner() throws {
    let realm = try file.open()
    let branch: [String: Any] = [
      "name": "b", "leaf": ["name": "1"], "leaves": [["name": "2"], ["name": "3"]],
    ]
    let tree = try realm.write {
      realm.create(
        Tree.self,
        value: [
          "name": "oak", "branch": branch, "branches": [branch, branch],
          "byName": ["x": branch, "y": nil],
        ] as [String: Any])
    }
    try expectEqual(leafCount(realm), 12)
    let held = try #require(tree.byName["x"]??.leaf)
    try realm.write { tree.byName["x"] = .some(nil) }
    #expect(try leafCount(realm) == 9 && held.isInvalidated)
    try realm.write { tree.branches.replace(index: 0, object: Branch(value: ["new"])) }
    try expectEqual(leafCount(realm), 6)
    try realm.write { tree.branches.swapAt(0, 1) }
    expectTrue(tree.branches.map(\.name) == ["b", "new"] && tree.branches[0].leaves.count == 2)
    try realm.write { tree.branch?.leaf = nil }
    try expectEqual(leafCount(realm), 5)
    try realm.write { tree.branches.removeAll() }
    try expectEqual(leafCount(realm), 2)
    try realm.write { realm.delete(try #require(tree.branch)) }
    #expect(try leafCount(realm) == 0 && tree.branch == nil)
    try realm.write { realm.delete(tree) }
    try ReferenceReader.check(file.configuration)
  }

  @Test func modifiedUpdatesEmbeddedObjects() throws {
    let realm = try file.open()
    let tree = try realm.write {
      realm.create(
        Tree.self,
        value: ["name": "elm", "branch": ["name": "a", "leaf": ["name": "1"]]] as [String: Any])
    }
    try realm.write {
      realm.create(
        Tree.self, value: ["name": "elm", "branch": ["name": "b"]] as [String: Any],
        update: .modified)
    }
    expectEqual(tree.branch?.name, "b")
    expectEqual(realm.objects(Tree.self).count, 1)
    try ReferenceReader.check(file.configuration)
  }

  @Test func identitiesAreThoseOfRows() throws {
    let realm = try file.open()
    let unmanaged = Tree(value: ["name": "a"])
    expectEqual(unmanaged.id, unmanaged.id)
    expectTrue(unmanaged.id != Tree().id)
    let (first, second) = try realm.write {
      (realm.create(Tree.self, value: ["name": "b"]), realm.create(Tree.self, value: ["name": "c"]))
    }
    expectTrue(first.id != second.id)
    expectEqual(first.freeze().id, first.id)
    expectEqual(realm.object(ofType: Tree.self, forPrimaryKey: "b")?.id, first.id)
    func isIdentifiable<T: Identifiable>(_ value: T) -> Bool where T.ID == UInt64 { true }
    expectTrue(isIdentifiable(first))
  }

  private func mistakes(_ types: [ObjectBase.Type]) throws -> String {
    let file = try TemporaryRealm(types)
    let error = try #require(throws: Realm.Error.self) { _ = try file.open() }
    return error.localizedDescription
  }

  @Test func embeddedClassesNeedOwners() throws {
    #expect(
      try mistakes([Tree.self, Branch.self, Leaf.self, Bad.Lonely.self]).contains(
        "- Embedded object 'Lonely' is unreachable by any link path from top level objects."))
    let text = try mistakes([Bad.Holder.self, Bad.Ring.self, Bad.Link.self])
    #expect(
      text.contains(
        "Cycles containing embedded objects are not currently supported: 'Ring.next.rings'"))
    expectFalse(text.contains("unreachable"))
  }

  @Test func otherMistakesOfDeclarations() throws {
    #expect(
      try mistakes([Bad.Alias.self]).contains(
        "Property 'Alias.first' has an alias 'second' that conflicts with a property of the same "
          + "name."))
    let text = try mistakes([Bad.ToEvent.self, Event.self, Leaf.self])
    expectTrue(text.contains("Asymmetric table 'Event' not allowed in a local Realm"))
    #expect(
      text.contains(
        "Property 'ToEvent.event' of type '<Event>' cannot be a link to an asymmetric object."))
    #expect(
      text.contains(
        "Set property 'ToEvent.events' cannot contain embedded object type 'Leaf'. Set semantics "
          + "are not supported for embedded objects."))
    expectEqual(Event(value: ["text": "x"]).text, "x")
  }

  // MARK: Misuse

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func aManagedEmbeddedObjectInAList() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([Tree.self, Branch.self, Leaf.self]).open()
      realm.beginWrite()
      let tree = realm.create(Tree.self, value: ["name": "a", "branch": ["name": "x"]])
      tree.branch.map { tree.branches.append($0) }
    }
    expect("Cannot add an existing managed embedded object to a List.", in: result)
  }

  @Test func aManagedEmbeddedObjectInAMap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([Tree.self, Branch.self, Leaf.self]).open()
      realm.beginWrite()
      let tree = realm.create(Tree.self, value: ["name": "a", "branch": ["name": "x"]])
      tree.byName["b"] = tree.branch
    }
    expect("Cannot add an existing managed embedded object to a Dictionary.", in: result)
  }

  @Test func creatingAsymmetricObjectsInALocalRealm() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([Tree.self, Branch.self, Leaf.self]).open()
      realm.beginWrite()
      realm.create(Event.self, value: ["text": "x"])
    }
    expect("Object type 'Event' is not managed by the Realm.", in: result)
  }
}
