// SPDX-License-Identifier: Apache-2.0

// A class with a property of every type and collection, for the tests of damaged files.

import Foundation
import RealmSwift
import RealmSwiftTestSupport

enum FragileKind: String, PersistableEnum { case low, high }
enum FragileLevel: Int, PersistableEnum { case none, some, all }

/// A number that is stored as another one.
struct FragileLength: CustomPersistable, Equatable {
  var meters: Int
  init(persistedValue: Int) { meters = persistedValue }
  var persistableValue: Int { meters }
}

class FragilePart: EmbeddedObject {
  @Persisted var note: String
  @Persisted var numbers: List<Int>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Fragile: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name: String
  @Persisted(indexed: .fullText) var text: String
  @Persisted(indexed: true) var group: Int
  @Persisted var bool: Bool
  @Persisted var int: Int
  @Persisted var float: Float
  @Persisted var double: Double
  @Persisted var data: Data
  @Persisted var date: Date
  @Persisted var uuid: UUID
  @Persisted var objectId: ObjectId
  @Persisted var decimal: Decimal128
  @Persisted var kind: FragileKind
  @Persisted var level: FragileLevel
  @Persisted var length: FragileLength
  @Persisted var optionalBool: Bool?
  @Persisted var optionalInt: Int?
  @Persisted var optionalDouble: Double?
  @Persisted var optionalString: String?
  @Persisted var optionalDate: Date?
  @Persisted var optionalKind: FragileKind?
  @Persisted var link: Fragile?
  @Persisted var part: FragilePart?
  @Persisted var any: AnyRealmValue
  @Persisted var ints: List<Int>
  @Persisted var texts: List<String?>
  @Persisted var links: List<Fragile>
  @Persisted var parts: List<FragilePart>
  @Persisted var anys: List<AnyRealmValue>
  @Persisted var kinds: List<FragileKind>
  @Persisted var textSet: MutableSet<String>
  @Persisted var linkSet: MutableSet<Fragile>
  @Persisted var doubleMap: Map<String, Double>
  @Persisted var linkMap: Map<String, Fragile?>
  @Persisted var anyMap: Map<String, AnyRealmValue>
  @Persisted(originProperty: "link") var owners: LinkingObjects<Fragile>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  /// The values of a new object.
  static func value(_ number: Int) -> [String: Any] {
    let text = String(repeating: "word\(number) ", count: 1 + number % 9)
    let scalars: [String: Any] = [
      "id": number, "name": "name \(number)", "text": text, "group": number % 4,
      "bool": number % 2 == 0, "int": number * 1000, "float": Float(number) / 2,
      "double": Double(number) / 3, "data": Data(text.utf8),
      "date": Date(timeIntervalSince1970: Double(number)), "decimal": Decimal128(value: number),
      "kind": "high", "level": number % 3, "length": FragileLength(persistedValue: number),
      "optionalBool": true, "optionalInt": number, "optionalDouble": 0.5, "optionalString": text,
      "optionalDate": Date(timeIntervalSince1970: 0.5), "optionalKind": "low",
    ]
    let collections: [String: Any] = [
      "part": ["note": text, "numbers": [1, 2, number]], "ints": [1, 2, number * 100_000],
      "any": ["nested": [number, text], "number": 1] as [String: Any],
      "texts": [text, nil] as [String?], "parts": [["note": text, "numbers": [number]]],
      "anys": [1, text, [number]] as [Any], "kinds": ["low", "high"], "textSet": ["a", text],
      "doubleMap": ["a": 0.5, "b": 1], "anyMap": ["a": 1, "b": [text]] as [String: Any],
    ]
    return scalars.merging(collections) { first, _ in first }
  }

  /// A file with some objects. Every third links to the next one by each property: descriptions go
  /// along all links.
  static func makeFile(count: Int) throws -> TemporaryRealm {
    let file = try TemporaryRealm([Fragile.self, FragilePart.self])
    let realm = try file.open()
    try realm.write {
      let all = (0..<count).map { realm.create(Fragile.self, value: value($0)) }
      for (object, next) in zip(all, all.dropFirst()) where object.id % 3 == 0 {
        object.link = next
        object.links.append(next)
        object.linkSet.insert(next)
        object.linkMap["next"] = next
        object.anys.append(.object(next))
      }
    }
    return file
  }
}
