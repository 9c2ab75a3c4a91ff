// SPDX-License-Identifier: Apache-2.0

// The same model as in `GoneOwnerTests`, whose owner this program deletes.

import Foundation
import RealmSwift

class GoneItem: Object {
  @Persisted var name: String
  @Persisted var number: Int
  @Persisted var holder: GoneOwner?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GonePart: EmbeddedObject {
  @Persisted var name: String
  @Persisted var number: Int
  @Persisted var numbers: List<Int>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoneOwner: Object {
  @Persisted var items: List<GoneItem>
  @Persisted var itemSet: MutableSet<GoneItem>
  @Persisted var itemMap: Map<String, GoneItem?>
  @Persisted var parts: List<GonePart>
  @Persisted var partMap: Map<String, GonePart?>
  @Persisted var part: GonePart?
  @Persisted var numbers: List<Int>
  @Persisted var numberSet: MutableSet<Int>
  @Persisted var numberMap: Map<String, Int>
  @Persisted var mixed: List<AnyRealmValue>
  @Persisted var any: AnyRealmValue
  @Persisted(originProperty: "holder") var backlinks: LinkingObjects<GoneItem>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  /// Deletes all owners in the file at a path.
  static func deleteAll(in path: String) throws {
    let configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: path),
      objectTypes: [GoneItem.self, GonePart.self, GoneOwner.self])
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.delete(realm.objects(GoneOwner.self)) }
  }
}
