// SPDX-License-Identifier: Apache-2.0

// Classes without any `@Persisted`, as models of the time of `@objc dynamic` are, or as a port
// leaves them that dropped these words.

import Foundation
import RealmSwiftTestSupport
import RealmTables
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

private class PortedToy: Object {
  @Persisted var name = ""
  /// Plain, beside a stored one.
  var isDragged = false
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum PortedKind: String, PersistableEnum { case good, better }

/// Each type that can be stored, and some that cannot.
private class PortedAlone: Object {
  var id = ""
  var age: Int?
  var weight = 1.5
  var born = Date()
  var picture: Data?
  var key = UUID()
  var number: ObjectId?
  var price = Decimal128(0)
  var kind = PortedKind.good
  var anything = AnyRealmValue.none
  var favourite: PortedToy?
  var legacy = NSDate()
  var isSelected = false
  var names: [String] = []
  var tags: [String]?
  var done: (() -> Void)?
  lazy var upper = id.uppercased()
  var lower: String { id.lowercased() }
  override class func primaryKey() -> String? { "id" }
  override class func indexedProperties() -> [String] { ["age"] }
  override class func ignoredProperties() -> [String] { ["isSelected"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class PortedDog: Object {
  var name = ""
  let toys = List<PortedToy>()
  let age = RealmProperty<Int?>()
  let owners = LinkingObjects(fromType: PortedOwner.self, property: "dogs")
  override class func indexedProperties() -> [String] { ["age"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class PortedOwner: Object {
  let dogs = List<PortedDog>()
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The plain field of a superclass of plain fields alone.
private class PortedPuppy: PortedDog {
  var weeks = 3
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class PortedEmbedded: EmbeddedObject {
  var street = ""
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Nothing that could be stored is plain.
private class Harmless: Object {
  let toys = List<PortedToy>()
  var done: (() -> Void)?
  var cache: [String: Int] = [:]
  lazy var count = toys.count
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct PlainFieldTests {
  private func mistakes(_ types: [ObjectBase.Type]) throws -> [String] {
    let file = try TemporaryRealm(types)
    let error = try #require(throws: Realm.Error.self) { _ = try file.open() }
    expectEqual(error.code, .fail)
    expectFalse(FileManager.default.fileExists(atPath: file.configuration.location.path))
    return error.localizedDescription.split(separator: "\n").dropFirst().map(String.init)
  }

  private func mistake(_ name: String, _ declaration: String) -> String {
    "- Property '\(name)' is declared without @Persisted, and would not be stored: write "
      + "'@Persisted\(declaration)', or return its name from 'ignoredProperties()'."
  }

  private func other(_ name: String, _ declaration: String) -> String {
    "- Property '\(name)' needs @Persisted as soon as another one has it: write "
      + "'@Persisted\(declaration)'."
  }

  @Test func fieldsOfEachStorableTypeAreNamedWithTheirLine() throws {
    expectEqual(
      try mistakes([PortedAlone.self, PortedToy.self]),
      [
        "- No properties are defined for 'PortedAlone'. Did you remember to mark them with "
          + "'@Persisted' in your model?",
        mistake("PortedAlone.id", "(primaryKey: true) var id: String"),
        mistake("PortedAlone.age", "(indexed: true) var age: Int?"),
        mistake("PortedAlone.weight", " var weight: Double"),
        mistake("PortedAlone.born", " var born: Date"),
        mistake("PortedAlone.picture", " var picture: Data?"),
        mistake("PortedAlone.key", " var key: UUID"),
        mistake("PortedAlone.number", " var number: ObjectId?"),
        mistake("PortedAlone.price", " var price: Decimal128"),
        mistake("PortedAlone.kind", " var kind: PortedKind"),
        mistake("PortedAlone.anything", " var anything: AnyRealmValue"),
        mistake("PortedAlone.favourite", " var favourite: PortedToy?"),
        mistake("PortedAlone.legacy", " var legacy: Date"),
      ])
  }

  /// With one `@Persisted` the fields without would be none any more.
  @Test func fieldsBesideListsAreNamedWithTheLists() throws {
    let ofDog = [
      mistake("PortedDog.name", " var name: String"),
      other("PortedDog.toys", " var toys: List<PortedToy>"),
      other("PortedDog.age", "(indexed: true) var age: Int?"),
      other(
        "PortedDog.owners", "(originProperty: \"dogs\") var owners: LinkingObjects<PortedOwner>"),
    ]
    expectEqual(try mistakes([PortedDog.self, PortedOwner.self, PortedToy.self]), ofDog)
  }

  @Test func fieldsOfSuperclassesAndEmbeddedObjectsAreNamed() throws {
    let types = [PortedPuppy.self, PortedDog.self, PortedOwner.self, PortedToy.self]
    let ofPuppy = try mistakes(types).filter { $0.contains("'PortedPuppy.") }
    expectEqual(
      Array(ofPuppy.prefix(2)),
      [
        mistake("PortedPuppy.name", " var name: String"),
        mistake("PortedPuppy.weeks", " var weeks: Int"),
      ])
    expectTrue(
      try mistakes([PortedEmbedded.self]).contains(
        mistake("PortedEmbedded.street", " var street: String")))
  }

  @Test func plainFieldsBesidePersistedOnesStayWithTheObject() throws {
    let realm = try TemporaryRealm([PortedToy.self]).open()
    let toy = PortedToy()
    toy.isDragged = true
    try realm.write { realm.add(toy) }
    expectTrue(toy.isDragged)
    expectEqual(realm.objects(PortedToy.self).first?.objectSchema.properties.map(\.name), ["name"])
  }

  @Test func fieldsOfTypesThatCannotBeStoredAreNoMistakes() throws {
    let realm = try TemporaryRealm([Harmless.self, PortedToy.self]).open()
    expectTrue(realm.objects(Harmless.self).isEmpty)
  }

  /// On Apple's systems the runtime knows what is `@objc dynamic`, whatever its type.
  @Test func whatTheRuntimeKnowsIsNamedWhateverItsType() {
    let known: Set = ["names", "done", "isSelected", "lower"]
    let fields = PlainField.all(of: PortedAlone.self, isKnown: known.contains)
    expectEqual(fields.filter { $0.declaration == nil }.map(\.name), ["names", "done"])
    let schema = ModelSchema(
      PortedAlone.self, named: "Ported", .topLevel, [], fields.filter { $0.name == "names" })
    expectEqual(
      schema.plainFieldMistakes,
      [
        "Property 'Ported.names' is declared without @Persisted, and values of type "
          + "'Array<String>' cannot be stored: give it a type that can, or return its name from "
          + "'ignoredProperties()'."
      ])
    expectTrue(PlainField.namesKnownToObjectiveC(of: PortedAlone.self).isEmpty)
  }
}
