// SPDX-License-Identifier: Apache-2.0

// Snapshots of every kind of property, and wrappers read by hand.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class Cabinet: Object {
  @Persisted var thing: AnyRealmValue
  @Persisted var numbers: List<Int?>
  @Persisted var dogs: MutableSet<Dog>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct SnapshotSurfaceTests {
  @Test func mixedOptionalAndLinkedValuesAreRead() throws {
    let realm = try TemporaryRealm([Cabinet.self, Dog.self, Person.self]).open()
    let snapshot = try realm.write {
      ObjectSnapshot(
        realm.create(
          Cabinet.self,
          value: ["thing": 3, "numbers": [1, nil], "dogs": [["name": "Rex"]]] as [String: Any]))
    }
    expectEqual(snapshot.thing, .int(3))
    expectEqual(snapshot.numbers, [1, nil])
    expectEqual(snapshot.dogs.map(\.name), ["Rex"])
    #expect(snapshot.description.hasPrefix("Cabinet {\n\tthing = 3;"))
  }

  @Test func wrappersAreReadByHand() throws {
    struct Document: Decodable {
      enum Key: CodingKey { case note }
      let note: String?

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let wrapper = try container.decode(Persisted<Double?>.self, forKey: .note)
        note = (wrapper.value ?? nil).map { "\($0)" }
      }
    }
    let (full, empty) = (Data(#"{"note": 1.5}"#.utf8), Data("{}".utf8))
    try expectEqual(JSONDecoder().decode(Document.self, from: full).note, "1.5")
    try expectEqual(JSONDecoder().decode(Document.self, from: empty).note, nil)
  }
}
