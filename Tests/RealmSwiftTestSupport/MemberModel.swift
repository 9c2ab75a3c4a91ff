// SPDX-License-Identifier: Apache-2.0

// One class with a collection of every kind over itself, so that one function examines them all.

import Foundation
package import RealmSwift

package class Member: Object {
  @Persisted package var name: String
  @Persisted package var age: Int
  @Persisted package var height: Double?
  @Persisted package var friends: List<Member>
  @Persisted package var circle: MutableSet<Member>
  @Persisted package var byRole: Map<String, Member?>
  @Persisted package var scores: Map<String, Int>
  @Persisted package var marks: Map<String, Double?>
  @Persisted package var numbers: List<Int>
  @Persisted package var tags: MutableSet<String>
  @Persisted(originProperty: "friends") package var followers: LinkingObjects<Member>

  package override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension Member {
  /// Zoe, of whom every collection holds Ann, Bob and Cid in this order.
  package static func zoe() throws -> (realm: Realm, zoe: Member) {
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
