// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

private class Address: EmbeddedObject {
  @Persisted var city: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Company: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var address: Address?
  @Persisted var branches: List<Address>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct EmbeddedObjectTests {
  @Test func embeddedObjectsComeAndGoWithTheirParent() throws {
    let file = try TemporaryRealm([Company.self, Address.self])
    let realm = try file.open()
    func count() throws -> Int { try realm.core.classes[Address.self].table.objectCount() }
    let company = try realm.write {
      realm.create(
        Company.self,
        value: [
          "id": 1, "address": ["city": "Ulm"], "branches": [["city": "Bonn"], ["city": "Kiel"]],
        ])
    }
    expectEqual(company.address?.city, "Ulm")
    expectEqual(company.branches.map(\.city), ["Bonn", "Kiel"])
    try expectEqual(count(), 3)
    let old = company.address
    try realm.write { company.address = Address(value: ["city": "Rom"]) }
    expectEqual(company.address?.city, "Rom")
    expectEqual(old?.isInvalidated, true)
    try expectEqual(count(), 3)
    try realm.write { company.branches.remove(at: 0) }
    try expectEqual(count(), 2)
    try realm.write { realm.delete(company) }
    try expectEqual(count(), 0)
    try ReferenceReader.check(file.configuration)
  }

  @Test func aManagedEmbeddedObjectHasOneParent() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([Company.self, Address.self]).open()
      try realm.write {
        let company = realm.create(Company.self, value: ["id": 1, "address": ["city": "Ulm"]])
        realm.create(Company.self, value: ["id": 2]).address = company.address
      }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains("Can't set link to existing managed embedded object"))
  }
}
