// SPDX-License-Identifier: Apache-2.0

// What `create` and `init(value:)` accept, and what becomes of it.

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct CreateTests {
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
    expectTrue(object.bool)
    expectEqual(object.int, 5)
    expectEqual(object.double, 2)
    expectEqual(object.float, 1.5)
    expectEqual(object.string, "s")
    expectEqual(object.data, Data([1]))
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
      expectEqual(object.uuid, uuid)
      expectEqual(object.date, date)
      expectTrue(object.optionalInt == nil)
      expectEqual(object.decimal.stringValue, "1.25")
      expectEqual(object.optionalString, "x")
      expectEqual(object.optionalUUID, uuid)
      expectEqual(object.optionalDouble, 3)
      expectEqual(object.optionalDecimal?.stringValue, "7.5")
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
      expectEqual(person.id, 7)
      expectEqual(person.name, "Ann")
      expectEqual(person.age, 30)
      expectTrue(person.height == nil)
      expectEqual(person.best?.name, "Rex")
      expectEqual(person.dogs.map(\.name), ["A", "B"])
      expectEqual(person.dogs.map(\.age), [0, 4])
      expectEqual(Array(person.nicknames), ["x"])
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
    expectTrue(said.contains("Invalid value '"), "said: \(said.prefix(300))")
    expectTrue(said.contains("property 'AllTypes.\(name)'."), "said: \(said.prefix(300))")
  }

  @Test func jsonInsideMixedValues() throws {
    let text = #"{"id": 1, "mixed": {"a": [1, 0, 2, 1.5, true, "x", null], "b": {"c": 1}}}"#
    let realm = try TemporaryRealm.ofShelves().open()
    let shelf = try realm.write {
      realm.create(Shelf.self, value: try JSONSerialization.jsonObject(with: Data(text.utf8)))
    }
    expectEqual(
      shelf.mixed["a"]?.listValue.map { Array($0) },
      [.int(1), .int(0), .int(2), .double(1.5), .bool(true), .string("x"), .none])
    expectEqual(shelf.mixed["b"]?.dictionaryValue?["c"], .int(1))
    let snapshot = ObjectSnapshot(shelf)
    let back = try JSONDecoder().decode(
      ObjectSnapshot<Shelf>.self, from: JSONEncoder().encode(snapshot))
    expectEqual(back, snapshot)
    expectEqual(back.makeObject().mixed["a"]?.listValue?.count, 7)
    expectEqual(shelf.value(forKeyPath: "mixed.b.c") as? Int, 1)
  }

  // MARK: Links

  /// `ObjectWriter+Create` 2.
  @Test func nestedUnmanagedObjectsAreCopied() throws {
    let (file, realm) = try open()
    let loose = Loose(value: ["number": 1])
    let (box, first, second) = (Box(value: [3]), Box(value: [4]), Box(value: [5]))
    expectTrue(Node(value: ["id": 9, "loose": loose, "box": box]).loose === loose)
    let known = Node(value: ["id": 5])
    let node = try realm.write {
      realm.create(
        Node.self,
        value: [
          "id": 1, "loose": loose, "many": [loose, loose], "box": box, "boxes": [first],
          "named": ["a": second], "next": known,
        ] as [String: Any])
    }
    #expect([loose, box, first, second, known].allSatisfy { $0.realm == nil })
    expectEqual(node.loose?.number, 1)
    expectEqual(node.many.map(\.number), [1, 1])
    expectEqual(realm.objects(Loose.self).count, 3)
    expectEqual(node.next?.id, 5)
    expectEqual(node.box?.width, 3)
    expectEqual(node.boxes[0].width, 4)
    expectEqual(node.named["a"]??.width, 5)
    second.width = 7
    expectEqual(node.named["a"]??.width, 5)
    try realm.write {
      realm.add(Node(value: ["id": 2, "loose": loose, "many": [loose, loose]]))
      realm.create(Node.self, value: ["id": 3, "loose": loose])
    }
    // Adding makes the object itself managed; a managed one is linked to.
    expectEqual(loose.realm, realm)
    expectEqual(realm.objects(Loose.self).count, 4)
    let replacement = Box(value: [8])
    let present = node.box
    try realm.write {
      realm.create(Node.self, value: ["id": 1, "box": replacement], update: .modified)
    }
    expectEqual(present?.width, 8)
    expectTrue(replacement.realm == nil)
    try ReferenceReader.check(file.configuration)
  }

  @Test func nestedUnmanagedObjectsInMixedValuesAreCopied() throws {
    let realm = try TemporaryRealm([MixedHolder.self]).open()
    let inner = MixedHolder(value: ["id": 2])
    let outer = try realm.write {
      realm.create(MixedHolder.self, value: ["id": 1, "any": AnyRealmValue.object(inner)])
    }
    expectTrue(inner.realm == nil)
    expectEqual(outer.any.object(MixedHolder.self)?.id, 2)
    expectEqual(realm.objects(MixedHolder.self).count, 2)
  }

  /// `ObjectWriter+Create` 2.
  @Test func whatIsCreatedFromAnObjectIsACopy() throws {
    let realm = try TemporaryRealm().open()
    let person = Person(value: ["id": 1, "name": "Ann", "nicknames": ["x"]])
    let copy = try realm.write { realm.create(Person.self, value: person) }
    expectTrue(copy !== person)
    expectTrue(person.realm == nil)
    expectEqual(Array(person.nicknames), ["x"])
    expectTrue(person.nicknames.realm == nil)
    expectEqual(Array(copy.nicknames), ["x"])
  }

  /// `ObjectWriter` 2 and `ObjectWriter+Create` 3.
  @Test func cyclesEnd() throws {
    let (_, realm) = try open()
    let first = Loose(value: ["number": 1])
    let second = Loose(value: ["number": 2, "other": first])
    first.other = second
    let node = Node(value: ["id": 1, "loose": first])
    node.next = node
    let copy = try realm.write { realm.create(Node.self, value: node) }
    expectEqual(copy.next, copy)
    expectEqual(copy.loose?.other?.other?.number, 1)
    expectEqual(realm.objects(Loose.self).count, 2)
    expectTrue(node.realm == nil)
    expectTrue(first.realm == nil)
    let (_, other) = try open()
    let third = try other.write { other.create(Node.self, value: copy) }
    expectEqual(third.next, third)
    expectEqual(third.loose?.other?.other?.number, 1)
    expectEqual(other.objects(Loose.self).count, 2)
    try realm.write { realm.add(node, update: .modified) }
    expectEqual(node.next, node)
    expectEqual(node, copy)
    expectTrue(first.isSameObject(as: node.loose))
    expectEqual(first.realm, realm)
  }

  /// `Persisted` 2.
  @Test func anUnmanagedObjectInACycleIsFreedOnceItIsManaged() throws {
    let (_, realm) = try open()
    weak var weakNode: Node?
    weak var weakLoose: Loose?
    try autoreleasepool {
      let node = Node(value: ["id": 1])
      let loose = Loose(value: ["number": 1])
      loose.other = loose
      (node.next, node.loose) = (node, loose)
      node.many.append(loose)
      (weakNode, weakLoose) = (node, loose)
      try realm.write { realm.add(node) }
      expectEqual(node.next, node)
      expectTrue(loose.isSameObject(as: node.many[0]))
      expectTrue(loose.isSameObject(as: node.loose))
    }
    expectTrue(weakNode == nil)
    expectTrue(weakLoose == nil)
    let mixed = try TemporaryRealm([MixedHolder.self]).open()
    weak var weakHolder: MixedHolder?
    try autoreleasepool {
      let holder = MixedHolder(value: ["id": 1])
      holder.any = .object(holder)
      weakHolder = holder
      try mixed.write { mixed.add(holder) }
      expectEqual(holder.any.object(MixedHolder.self), holder)
    }
    expectEqual(weakHolder, nil)
  }

  @Test func updatingAllMakesEmbeddedObjectsManaged() throws {
    let (file, realm) = try open()
    try realm.write {
      realm.create(
        Node.self, value: ["id": 1, "box": [1], "boxes": [[2], [3]], "named": ["a": [4]]])
    }
    let (box, first, second) = (Box(value: [5]), Box(value: [6]), Box(value: [7]))
    let node = Node(value: ["id": 1, "box": box, "boxes": [first], "named": ["a": second]])
    try realm.write { realm.add(node, update: .all) }
    #expect([box, first, second].allSatisfy { $0.realm == realm && !$0.isInvalidated })
    try realm.write { for part in [box, first, second] { part.height = 1 } }
    expectEqual(node.box?.height, 1)
    expectEqual(node.boxes[0].height, 1)
    expectEqual(node.named["a"]??.height, 1)
    try expectEqual(realm.core.classes[Box.self].table.objectCount(), 3)
    try ReferenceReader.check(file.configuration)
  }

  @Test func theEmbeddedObjectThatIsThereMayBeAssigned() throws {
    let (_, realm) = try open()
    let node = try realm.write {
      realm.create(Node.self, value: ["id": 1, "box": [1], "boxes": [[2]], "named": ["a": [4]]])
    }
    let dynamic = try #require(realm.dynamicObjects("Node").first)
    try realm.write {
      node.box = node.box
      node["box"] = node["box"]
      dynamic["box"] = dynamic["box"]
    }
    expectEqual(node.box?.width, 1)
    expectEqual(node.boxes[0].width, 2)
    expectEqual(node.named["a"]??.width, 4)
    try expectEqual(realm.core.classes[Box.self].table.objectCount(), 3)
  }

  /// `Persisted` 2.
  @Test func collectionsStayTheSameInstances() throws {
    let realm = try TemporaryRealm.ofShelves().open()
    let (shelf, person) = (Shelf(value: ["id": 1]), Person(value: ["id": 1, "nicknames": ["x"]]))
    let (names, dogs, tags, scores) = (person.nicknames, person.dogs, shelf.tags, shelf.scores)
    dogs.append(Dog(value: ["name": "Rex"]))
    try realm.write {
      realm.add(person)
      realm.add(shelf)
      person.nicknames.append("y")
      scores["a"] = 1
    }
    expectTrue(person.nicknames === names)
    expectTrue(person.dogs === dogs)
    expectEqual(names.count, 2)
    expectTrue(shelf.tags === tags)
    expectTrue(shelf.scores === scores)
    expectEqual(shelf.scores["a"], 1)
    expectEqual(names.realm, realm)
    expectEqual(dogs[0].name, "Rex")
    let same = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
    expectEqual(Array(same.nicknames), ["x", "y"])
    expectEqual(same.nicknames, names)
  }

  @Test func updatesGoThroughLinks() throws {
    let (_, realm) = try open()
    try realm.write {
      realm.create(Node.self, value: ["id": 1, "next": ["id": 2, "loose": ["number": 4]]])
      realm.create(
        Node.self, value: ["id": 1, "next": ["id": 2, "next": ["id": 1]]], update: .modified)
    }
    let node = try #require(realm.object(ofType: Node.self, forPrimaryKey: 2))
    expectEqual(node.loose?.number, 4)
    expectEqual(node.next?.id, 1)
    expectEqual(realm.objects(Node.self).count, 2)
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
    expectEqual(box?.isInvalidated, false)
    expectEqual(box?.width, 2)
    expectEqual(box?.height, (byAdding ? 5 : 9))
    expectEqual(node.boxes.map(\.width), [4, 2])
    expectEqual(node.named.keys, ["b", "c"])
    expectEqual(node.named["b"]??.width, 7)
    expectEqual(node.named["c"]??.width, 8)
    expectEqual(boxes.map(\.isInvalidated), [false, false, true])
    expectEqual(named??.isInvalidated, false)
    try expectEqual(realm.core.classes[Box.self].table.objectCount(), 5)
    try realm.write {
      realm.create(Node.self, value: ["id": 1, "box": ["width": 3]], update: .all)
    }
    expectEqual(box?.isInvalidated, true)
    expectEqual(node.box?.width, 3)
    expectEqual(node.box?.height, 5)
    try realm.write {
      realm.create(Node.self, value: ["id": 1, "box": NSNull(), "boxes": NSNull()], update: .all)
    }
    expectTrue(node.box == nil)
    expectTrue(node.boxes.isEmpty)
    expectEqual(node.named.count, 2)
    try ReferenceReader.check(file.configuration)
  }

  // MARK: Texts

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
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
