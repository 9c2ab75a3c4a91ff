// SPDX-License-Identifier: Apache-2.0

// Two classes of one `_realmObjectName()` in one schema: both show one table, with the columns of
// both.

import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class Parcel: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var weight: Double
  @Persisted var next: Parcel?
  @Persisted var labels: List<ParcelLabel>
  override class func _realmObjectName() -> String? { "SharedParcel" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class ParcelAddress: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var street: String
  @Persisted var sender: ParcelAddress?
  override class func _realmObjectName() -> String? { "SharedParcel" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class ParcelLabel: Object {
  @Persisted var text: String
  @Persisted var parcel: Parcel?
  @Persisted var address: ParcelAddress?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class OtherParcel: Object {
  @Persisted(primaryKey: true) var id: String
  @Persisted var weight: Int
  override class func _realmObjectName() -> String? { "SharedParcel" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct SharedTableTests {
  @Test func twoClassesOfOneSchemaShowOneTable() throws {
    let file = try TemporaryRealm([Parcel.self, ParcelAddress.self, ParcelLabel.self])
    do {
      let realm = try file.open()
      try realm.write {
        let parcel = realm.create(Parcel.self, value: ["id": 1, "weight": 2.5] as [String: Any])
        let address = try #require(realm.object(ofType: ParcelAddress.self, forPrimaryKey: 1))
        address.street = "Main"
        (parcel.next, address.sender) = (parcel, address)
        let label = ParcelLabel(value: ["text": "fragile"])
        parcel.labels.append(label)
        (label.parcel, label.address) = (parcel, address)
        realm.create(ParcelAddress.self, value: ["id": 2, "street": "Side"])
      }
      expectEqual(realm.objects(Parcel.self).count, 2)
      expectEqual(realm.objects(ParcelAddress.self).count, 2)
    }
    for configuration in [file.configuration, file.configuration] {
      let realm = try Realm(configuration: configuration)
      let parcel = try #require(realm.object(ofType: Parcel.self, forPrimaryKey: 1))
      let address = try #require(realm.object(ofType: ParcelAddress.self, forPrimaryKey: 1))
      expectEqual(parcel.weight, 2.5)
      expectEqual(address.street, "Main")
      expectTrue(parcel.isSameObject(as: address))
      expectEqual(parcel.next?.id, 1)
      expectEqual(address.sender?.street, "Main")
      expectEqual(parcel.labels.first?.parcel, parcel)
      expectEqual(parcel.labels[0].address, address)
      expectEqual(realm.objects(ParcelLabel.self).where { $0.address.street == "Main" }.count, 1)
      expectEqual(realm.objects(ParcelLabel.self).where { $0.parcel.weight > 2 }.count, 1)
      expectEqual(parcel.freeze().labels[0].address?.street, "Main")
      expectEqual(parcel.labels.freeze()[0].parcel?.weight, 2.5)
      expectEqual(address.freeze().thaw(), address)
      try realm.write { address.street += "!" }
      try realm.write { address.street = "Main" }
    }
    try ReferenceReader.check(file.configuration)
  }

  @Test func whatTheyDeclareDifferentlyIsAnError() throws {
    let file = try TemporaryRealm([
      Parcel.self, ParcelAddress.self, OtherParcel.self, ParcelLabel.self,
    ])
    let error = #expect(throws: Realm.Error.self) { _ = try file.open() }
    let text = error?.localizedDescription ?? ""
    #expect(text.contains("'SharedParcel', declare the property 'weight' differently"), "\(text)")
  }
}
