// SPDX-License-Identifier: Apache-2.0

// Objects of a damaged file whose embedded objects have more than one owner: copies, snapshots,
// descriptions and deletions of them end.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

private final class SharedLeaf: EmbeddedObject {
  @Persisted var number: Int
}

private final class SharedTwig: EmbeddedObject {
  @Persisted var leaves: List<SharedLeaf>
}

private final class SharedPart: EmbeddedObject {
  @Persisted var twigs: List<SharedTwig>
}

private final class SharedOwner: Object {
  @Persisted var part: SharedPart?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The damage that a realm reports.
private final class Reports: Sendable {
  private let texts = Mutex<[String]>([])

  /// The reports since the last time.
  func take() -> [String] {
    texts.withLock { texts in
      defer { texts = [] }
      return texts
    }
  }

  func take(over configuration: Realm.Configuration) -> Realm.Configuration {
    var configuration = configuration
    configuration.onDamage = { [self] error in texts.withLock { $0.append("\(error)") } }
    return configuration
  }
}

struct SharedPartTests {
  /// Does what follows all that an object holds: it ends, and damage is reported.
  private func expectEnds<Model: Object>(
    _ type: Model.Type, _ files: TemporaryRealm, _ text: String
  ) throws {
    let reports = Reports()
    let realm = try Realm(configuration: reports.take(over: files.configuration))
    let object = try #require(realm.objects(type).first)
    let others = try TemporaryRealm(files.configuration.objectTypes ?? [])
    let other = try others.open()
    expectTrue(object.description.utf8.count < 10 << 20)
    expectEqual(reports.take(), [])
    _ = ObjectSnapshot(object)
    let first = reports.take()
    expectTrue(first.first?.contains(text) == true && first.count < 1_000, "\(first.count)")
    try other.write { _ = other.create(type, value: object) }
    expectEqual(other.objects(type).count, 1)
    // The realm with the damage throws it when it writes next.
    #expect(throws: (any Error).self) { try realm.write { realm.delete(object) } }
  }

  /// A part has a twig three hundred times, and the twig a leaf three hundred times.
  @Test func walksOverEmbeddedObjectsEnd() throws {
    let files = try TemporaryRealm([
      SharedOwner.self, SharedPart.self, SharedTwig.self, SharedLeaf.self,
    ])
    do {
      let file = try DatabaseFile.open(path: try #require(files.configuration.fileURL).path)
      let group = try WriteGroup(file.beginWrite())
      let leaves = try group.createTable(named: "class_SharedLeaf", kind: .embedded)
      try leaves.addColumn(named: "number", type: .int)
      let twigs = try group.createTable(named: "class_SharedTwig", kind: .embedded)
      let inTwig = try twigs.addColumn(
        named: "leaves", type: .link, collection: .list, target: leaves.key)
      let parts = try group.createTable(named: "class_SharedPart", kind: .embedded)
      let inPart = try parts.addColumn(
        named: "twigs", type: .link, collection: .list, target: twigs.key)
      let owners = try group.createTable(named: "class_SharedOwner")
      let inOwner = try owners.addColumn(
        named: "part", type: .link, isNullable: true, target: parts.key)
      let part = try owners.createEmbedded(inOwner, of: owners.createObject().key).key
      let (twig, leaf) = (try twigs.createObject().key, try leaves.createObject().key)
      for index in 0..<300 {
        try parts.list(inPart, part).insert(.link(twig), at: index)
        try twigs.list(inTwig, twig).insert(.link(leaf), at: index)
      }
      _ = try group.commit()
    }
    try expectEnds(SharedOwner.self, files, "embedded objects do not end")
  }
}
