// SPDX-License-Identifier: Apache-2.0

// The realm that the tests publish: a member with pets, and all kinds of collections.

#if canImport(Combine) || OpenCombine
import Foundation
import RealmSwift

class Member: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var best: Pet?
  @Persisted var anything: AnyRealmValue
  @Persisted var pets: List<Pet>
  @Persisted var tags: MutableSet<String>
  @Persisted var byRoom: Map<String, Pet?>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Pet: Object {
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted(originProperty: "pets") var owners: LinkingObjects<Member>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Badge: Projection<Member>, ObjectKeyIdentifiable {
  @Projected(\Member.name) var title
  @Projected(\Member.best?.name) var pet
}

/// A member with the pet Rex, in a file of its own.
@MainActor final class Club {
  let directory: URL
  let configuration: Realm.Configuration
  let realm: Realm
  let member: Member

  init() async throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("openrealm-combine-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    configuration = Realm.Configuration(
      fileURL: directory.appendingPathComponent("test.realm"), objectTypes: [Member.self, Pet.self])
    let realm = try await Realm(configuration: configuration)
    self.realm = realm
    member = try realm.write {
      let member = realm.create(
        Member.self,
        value: ["id": 1, "name": "Ann", "pets": [["name": "Rex"]], "tags": ["a"]] as [String: Any])
      member.byRoom["hall"] = member.pets[0]
      return member
    }
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  var members: Results<Member> { realm.objects(Member.self).sorted(by: \.id) }
  var pets: Results<Pet> { realm.objects(Pet.self).sorted(by: \.name) }
  var sections: SectionedResults<String, Pet> {
    pets.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
  }

  func write(_ body: () -> Void) throws { try realm.write(body) }

  func addPet(_ name: String) throws {
    try realm.write { member.pets.append(realm.create(Pet.self, value: ["name": name])) }
  }
}
#endif
