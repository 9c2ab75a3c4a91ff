// SPDX-License-Identifier: Apache-2.0

// One class with a collection of every kind over itself, so that one function examines them all.

import Foundation
import RealmSwift

class Member: Object {
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var height: Double?
  @Persisted var friends: List<Member>
  @Persisted var circle: MutableSet<Member>
  @Persisted var byRole: Map<String, Member?>
  @Persisted var scores: Map<String, Int>
  @Persisted var marks: Map<String, Double?>
  @Persisted var numbers: List<Int>
  @Persisted var tags: MutableSet<String>
  @Persisted(originProperty: "friends") var followers: LinkingObjects<Member>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension Member {
  /// Zoe, of whom every collection holds Ann, Bob and Cid in this order.
  static func zoe() throws -> (realm: Realm, zoe: Member) {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Member.self]))
    return try realm.write {
      let others = [("Ann", 30, 1.5), ("Bob", 20, nil), ("Cid", 25, 2.5)].map {
        realm.create(
          Member.self, value: ["name": $0.0, "age": $0.1, "height": $0.2 as Any] as [String: Any])
      }
      let zoe = realm.create(
        Member.self,
        value: [
          "name": "Zoe", "friends": others, "circle": others,
          "byRole": ["a": others[0], "b": others[1], "c": others[2]],
          "scores": ["a": 3, "b": 1, "c": 2], "marks": ["a": 1.5, "b": nil, "c": 2.5],
          "numbers": [5, 3, 5], "tags": ["x", "y"],
        ] as [String: Any])
      for other in others { other.friends.append(zoe) }
      return (realm, zoe)
    }
  }
}
