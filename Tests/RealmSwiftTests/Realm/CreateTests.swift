// SPDX-License-Identifier: Apache-2.0

// What `create` and `init(value:)` accept, and what becomes of it.

import Foundation
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmSwift

@Suite struct CreateTests {
  class Node: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var next: Node?
    @Persisted var loose: Loose?
    @Persisted var many: List<Loose>
    @Persisted var box: Box?
    @Persisted var boxes: List<Box>
    @Persisted var named: Map<String, Box?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Loose: Object {
    @Persisted var number: Int
    @Persisted var other: Loose?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Box: EmbeddedObject {
    @Persisted var width: Int
    @Persisted var height = 5

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private func open() throws -> (TemporaryRealm, Realm) {
    let file = try TemporaryRealm([Node.self, Loose.self, Box.self])
    return (file, try file.open())
  }

  // MARK: Foundation and JSON

  /// The same object as a dictionary of Swift and of Foundation.
  private static let sources: [@Sendable () -> Any] = [
    { ["bool": true, "int": 5, "double": 2, "float": 1.5, "string": "s", "data": Data([1])] },
    {
      NSDictionary(dictionary: [
        "bool": NSNumber(value: true), "int": NSNumber(value: 5), "double": NSNumber(value: 2),
        "float": NSNumber(value: 1.5), "string": NSString("s"), "data": NSData(data: Data([1])),
      ])
    },
    {
      [
        "bool": NSNumber(value: 1), "int": NSNumber(value: Int8(5)), "double": Float(2),
        "float": NSNumber(value: Float(1.5)), "string": "s"[...], "data": Data([1]),
      ] as [AnyHashable: Any]
    },
  ]

  @Test(arguments: 0..<3, [false, true]) func dictionaries(source: Int, managed: Bool) throws {
    let realm = try TemporaryRealm().open()
    let value = Self.sources[source]()
    let object =
      try managed
      ? realm.write { realm.create(AllTypes.self, value: value) } : AllTypes(value: value)
    #expect(object.bool && object.int == 5 && object.double == 2 && object.float == 1.5)
    #expect(object.string == "s" && object.data == Data([1]))
  }

  @Test func foundationsOtherValues() throws {
    let realm = try TemporaryRealm().open()
    let uuid = UUID()
    let date = Date(timeIntervalSince1970: 12.5)
    let values: [String: Any] = [
      "uuid": uuid as NSUUID, "date": date as NSDate, "decimal": NSDecimalNumber(string: "1.25"),
      "optionalInt": NSNull(), "optionalString": NSString("x"), "optionalUUID": uuid.uuidString,
      "optionalDouble": Optional(NSNumber(value: 3)) as Any, "optionalDecimal": "7.5",
    ]
    for object in [
      try realm.write { realm.create(AllTypes.self, value: values) }, AllTypes(value: values),
    ] {
      #expect(object.uuid == uuid && object.date == date && object.optionalInt == nil)
      #expect(object.decimal.stringValue == "1.25" && object.optionalString == "x")
      #expect(object.optionalUUID == uuid && object.optionalDouble == 3)
      #expect(object.optionalDecimal?.stringValue == "7.5")
    }
  }

  @Test func jsonDocuments() throws {
    let text = """
      {"id": 7, "name": "Ann", "age": 30, "height": null, "best": {"name": "Rex", "age": 1},
       "dogs": [{"name": "A"}, ["B", 4]], "nicknames": ["x"], "unknown": [1]}
      """
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let realm = try TemporaryRealm().open()
    for person in [
      try realm.write { realm.create(Person.self, value: json) }, Person(value: json),
    ] {
      #expect(person.id == 7 && person.name == "Ann" && person.age == 30 && person.height == nil)
      #expect(person.best?.name == "Rex" && person.dogs.map(\.name) == ["A", "B"])
      #expect(person.dogs.map(\.age) == [0, 4] && Array(person.nicknames) == ["x"])
    }
  }

  @Test(arguments: [
    ("int", "1.0"), ("int", "1.5"), ("bool", "2"), ("bool", "1.0"), ("string", "1"),
    ("double", "true"), ("objectId", "\"507f1f77bcf86cd799439011\""), ("date", "\"2020-01-01\""),
    ("data", "\"AQ==\""), ("float", "1e300"), ("optionalInt8", "300"), ("int", "null"),
  ])
  func jsonValuesThatDoNotFit(name: String, value: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name, value] in
      let json = try JSONSerialization.jsonObject(with: Data("{\"\(name)\": \(value)}".utf8))
      _ = AllTypes(value: json)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("Invalid value '"), "said: \(said.prefix(300))")
    #expect(said.contains("property 'AllTypes.\(name)'."), "said: \(said.prefix(300))")
  }

  @Test func jsonInsideMixedValues() throws {
    let text = #"{"id": 1, "mixed": {"a": [1, 0, 2, 1.5, true, "x", null], "b": {"c": 1}}}"#
    let realm = try TemporaryRealm.ofShelves().open()
    let shelf = try realm.write {
      realm.create(Shelf.self, value: try JSONSerialization.jsonObject(with: Data(text.utf8)))
    }
    #expect(
      shelf.mixed["a"]?.listValue.map { Array($0) }
        == [.int(1), .int(0), .int(2), .double(1.5), .bool(true), .string("x"), .none])
    #expect(shelf.mixed["b"]?.dictionaryValue?["c"] == .int(1))
    let snapshot = ObjectSnapshot(shelf)
    let back = try JSONDecoder().decode(
      ObjectSnapshot<Shelf>.self, from: JSONEncoder().encode(snapshot))
    #expect(back == snapshot && back.makeObject().mixed["a"]?.listValue?.count == 7)
    #expect(shelf.value(forKeyPath: "mixed.b.c") as? AnyRealmValue == .int(1))
  }

  // MARK: Links

  @Test func createCopiesWhatItIsGivenAndAddDoesNot() throws {
    let (_, realm) = try open()
    let loose = Loose(value: ["number": 1])
    let node = try realm.write {
      realm.create(Node.self, value: ["id": 1, "loose": loose, "many": [loose, loose]])
    }
    #expect(loose.realm == nil && node.loose?.number == 1)
    #expect(realm.objects(Loose.self).count == 3)
    try realm.write {
      realm.add(Node(value: ["id": 2, "loose": loose, "many": [loose, loose]]))
    }
    #expect(loose.realm == realm && realm.objects(Loose.self).count == 4)
    try realm.write { realm.create(Node.self, value: ["id": 3, "loose": loose]) }
    #expect(realm.objects(Loose.self).count == 4)
  }

  @Test func cyclesEnd() throws {
    let (_, realm) = try open()
    let first = Loose(value: ["number": 1])
    let second = Loose(value: ["number": 2, "other": first])
    first.other = second
    let node = Node(value: ["id": 1, "loose": first])
    node.next = node
    let copy = try realm.write { realm.create(Node.self, value: node) }
    #expect(copy.next == copy && copy.loose?.other?.other?.number == 1)
    #expect(realm.objects(Loose.self).count == 2 && first.realm == nil)
    let (_, other) = try open()
    let third = try other.write { other.create(Node.self, value: copy) }
    #expect(third.next == third && third.loose?.other?.other?.number == 1)
    #expect(other.objects(Loose.self).count == 2)
    try realm.write { realm.add(node, update: .modified) }
    #expect(first.realm == realm && node.next == node && node == copy)
  }

  @Test func updatesGoThroughLinks() throws {
    let (_, realm) = try open()
    try realm.write {
      realm.create(Node.self, value: ["id": 1, "next": ["id": 2, "loose": ["number": 4]]])
      realm.create(
        Node.self, value: ["id": 1, "next": ["id": 2, "next": ["id": 1]]], update: .modified)
    }
    let node = try #require(realm.object(ofType: Node.self, forPrimaryKey: 2))
    #expect(node.loose?.number == 4 && node.next?.id == 1)
    #expect(realm.objects(Node.self).count == 2)
  }

  @Test(arguments: [false, true]) func embeddedObjectsAreUpdatedInPlace(byAdding: Bool) throws {
    let (file, realm) = try open()
    let node = try realm.write {
      realm.create(
        Node.self,
        value: [
          "id": 1, "box": ["width": 1, "height": 9], "boxes": [[1], [2], [3]],
          "named": ["a": [1], "b": [2]],
        ])
    }
    let (box, boxes, named) = (node.box, Array(node.boxes), node.named["b"])
    let values: [String: Any] = [
      "id": 1, "box": ["width": 2], "boxes": [[4], [2]], "named": ["b": [7], "c": [8]],
    ]
    try realm.write {
      if byAdding {
        realm.add(Node(value: values), update: .modified)
      } else {
        realm.create(Node.self, value: values, update: .modified)
      }
    }
    #expect(box?.isInvalidated == false && box?.width == 2)
    #expect(box?.height == (byAdding ? 5 : 9))
    #expect(node.boxes.map(\.width) == [4, 2] && node.named.keys == ["b", "c"])
    #expect(node.named["b"]??.width == 7 && node.named["c"]??.width == 8)
    #expect(boxes.map(\.isInvalidated) == [false, false, true])
    #expect(named??.isInvalidated == false)
    #expect(try realm.core.info(Box.self).table.objectCount() == 5)
    try realm.write {
      realm.create(Node.self, value: ["id": 1, "box": ["width": 3]], update: .all)
    }
    #expect(box?.isInvalidated == true && node.box?.width == 3 && node.box?.height == 5)
    try realm.write {
      realm.create(Node.self, value: ["id": 1, "box": NSNull(), "boxes": NSNull()], update: .all)
    }
    #expect(node.box == nil && node.boxes.isEmpty && node.named.count == 2)
    try ReferenceReader.check(file.configuration)
  }

  // MARK: Texts

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func valuesThatAreNoObject() async {
    let null = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Dog(value: NSNull())
    }
    expect("Must provide a non-nil value.", in: null)
    let long = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Dog(value: ["a", 1, 2, 3] as NSArray)
    }
    expect("Invalid array input: more values (4) than properties (2).", in: long)
    let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person(value: Dog())
    }
    expect("to initialize object of type 'Person': missing key 'id'", in: other)
    let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person(value: ["nicknames": "abc"])
    }
    expect(
      "Invalid value (abc) for 'string' array property 'Person.nicknames': value is not "
        + "enumerable.",
      in: list)
    let key = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { _ = realm.create(Person.self, value: ["id": NSNull()]) }
    }
    expect("Invalid null value for non-nullable primary key 'Person.id'.", in: key)
  }
}
