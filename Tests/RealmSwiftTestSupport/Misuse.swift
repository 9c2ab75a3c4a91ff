// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RealmSwift

/// What misused programs begin with.
package enum Misuse {
  package static func realmWithPerson() throws -> (realm: Realm, person: Person) {
    let configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self])
    let realm = try Realm(configuration: configuration)
    let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ann"]) }
    return (realm, person)
  }
}
