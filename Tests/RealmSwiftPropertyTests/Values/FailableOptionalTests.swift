// SPDX-License-Identifier: Apache-2.0

// Stored values that represent no value of a type are nil where the type is optional, whatever way
// they come; elsewhere they trap.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private enum Size: Int, PersistableEnum { case small = 1, large = 3 }

/// Stored as a string, of which only those that begin with "+" are numbers.
private struct Phone: FailableCustomPersistable {
  var digits: String
  init?(persistedValue: String) {
    guard persistedValue.hasPrefix("+") else { return nil }
    digits = String(persistedValue.dropFirst())
  }
  var persistableValue: String { "+" + digits }
}

private class StoredRange: EmbeddedObject {
  @Persisted var from: Int
  @Persisted var to: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Stored as an object, of which only those with ascending ends are ranges.
private struct Whole: FailableCustomPersistable {
  var from: Int
  var to: Int
  init?(persistedValue: StoredRange) {
    guard persistedValue.from <= persistedValue.to else { return nil }
    (from, to) = (persistedValue.from, persistedValue.to)
  }
  var persistableValue: StoredRange { StoredRange(value: [from, to]) }
}

private class Contact: Object {
  @Persisted var phone: Phone?
  @Persisted var size: Size?
  @Persisted var whole: Whole?
  @Persisted var phones: List<Phone?>
  @Persisted var phoneSet: MutableSet<Phone?>
  @Persisted var byName: Map<String, Phone?>
  @Persisted var sizes: List<Size?>
  @Persisted var wholes: List<Whole>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct FailableOptionalTests {
  private static var values: [String: Any] {
    [
      "phone": "12", "whole": ["from": 3, "to": 1], "phones": ["12", "+3", NSNull()],
      "phoneSet": ["12", "+3"], "byName": ["a": "12", "b": "+3"], "sizes": [1, 2],
    ]
  }

  private func check(_ contact: Contact) {
    expectTrue(contact.phone == nil)
    expectTrue(contact.whole == nil)
    expectEqual(contact.phones.map { $0?.digits }, [nil, "3", nil])
    expectEqual(Set(contact.phoneSet.map { $0?.digits }), [nil, "3"])
    expectEqual(contact.byName.count, 2)
    expectEqual(contact.byName["a"], .some(nil))
    expectEqual(contact.byName["b"]??.digits, "3")
    expectEqual(contact.sizes.map { $0 }, [.small, nil])
  }

  @Test func rawValuesThatDoNotConvertAreNil() throws {
    check(Contact(value: Self.values))
    let realm = try TemporaryRealm([Contact.self, StoredRange.self]).open()
    check(try realm.write { realm.create(Contact.self, value: Self.values) })
    let contact = try realm.write { realm.create(Contact.self, value: ["phone": "+1"]) }
    try realm.write {
      contact["phone"] = "12"
      contact["phones"] = ["12"]
    }
    expectTrue(contact.phone == nil)
    expectEqual(contact.phones.map { $0 }, [nil])
  }

  @Test func unmanagedObjectsTakeRawValuesOfNoCase() throws {
    let realm = try TemporaryRealm([Contact.self, StoredRange.self]).open()
    let managed = try realm.write { realm.create(Contact.self, value: ["size": 1]) }
    let unmanaged = Contact(value: ["size": 1])
    expectEqual(unmanaged.size, .small)
    expectTrue(Contact(value: ["size": 2]).size == nil)
    unmanaged["size"] = 10
    try realm.write { managed["size"] = 10 }
    expectTrue(unmanaged.size == nil)
    expectTrue(managed.size == nil)
    expectTrue(unmanaged["size"] == nil)
    // Managed, the raw value is kept.
    expectEqual(realm.dynamicObjects("Contact").first?["size"] as? Int, 10)
    unmanaged["size"] = 3
    unmanaged.setValue("+7", forKey: "phone")
    expectEqual(unmanaged.size, .large)
    expectEqual(unmanaged.phone?.digits, "7")
  }

  @Test(arguments: [false, true]) func nullInAListOfWrappersIsRefused(managed: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [managed] in
      let value: [String: Any] = ["wholes": [["from": 1, "to": 2], NSNull()] as [Any]]
      guard managed else { return _ = Contact(value: value) }
      let realm = try TemporaryRealm([Contact.self, StoredRange.self]).open()
      try realm.write { _ = realm.create(Contact.self, value: value) }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("Invalid nil value for array of 'StoredRange'."), "\(said.prefix(300))")
  }

  @Test func storedFormsAreReadByName() throws {
    let realm = try TemporaryRealm([Contact.self, StoredRange.self]).open()
    let unmanaged = Contact(value: ["phone": "+1", "size": 3, "whole": [1, 2]])
    let managed = try realm.write { realm.create(Contact.self, value: unmanaged) }
    for contact in [unmanaged, managed] {
      expectEqual(contact["size"] as? Int, 3)
      expectEqual(contact.value(forKey: "size") as? Int, 3)
      expectEqual(contact["phone"] as? String, "+1")
      expectEqual(contact.value(forKeyPath: "phone") as? String, "+1")
      expectEqual((contact["whole"] as? StoredRange)?.to, 2)
      expectEqual(contact.value(forKeyPath: "whole.to") as? Int, 2)
    }
    expectEqual((managed["whole"] as? StoredRange)?.realm, realm)
    expectEqual(realm.objects(Contact.self).value(forKey: "size") as? [Int], [3])
    // What was read can be set again.
    try realm.write {
      managed["size"] = managed["size"]
      managed["phone"] = managed["phone"]
    }
    expectEqual(managed.size, .large)
    expectEqual(managed.phone?.digits, "1")
  }
}
