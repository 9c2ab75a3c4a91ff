// SPDX-License-Identifier: Apache-2.0

// Objects of a damaged file whose embedded objects have more than one owner, or whose mixed values
// have the same collections again and again: copies, snapshots, descriptions and deletions of them
// end.

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
  @Persisted var ones: List<Int>
  @Persisted var twos: List<Int>
  @Persisted var threes: List<Int>
  @Persisted var fours: List<Int>
  @Persisted var fives: List<Int>
}

private final class SharedPart: EmbeddedObject {
  @Persisted var twigs: List<SharedTwig>
}

private final class SharedOwner: Object {
  @Persisted var part: SharedPart?
  @Persisted var parts: List<SharedPart>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class LinkingOwner: Object {
  @Persisted var owners: List<SharedOwner>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class NestedOwner: Object {
  @Persisted var value: AnyRealmValue
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
  private static let types = [
    SharedOwner.self, SharedPart.self, SharedTwig.self, SharedLeaf.self,
  ]

  /// Who follows all that an object holds.
  enum Walk: CaseIterable, Sendable { case snapshot, copy }

  /// Follows all that the last object holds: it ends, and damage is reported once.
  /// `OwnedWalk` 2.
  private func expectEnds<Model: Object>(
    _ walk: Walk, _ type: Model.Type, _ files: TemporaryRealm, _ text: String
  ) throws {
    let reports = Reports()
    let realm = try Realm(configuration: reports.take(over: files.configuration))
    let object = try #require(realm.objects(type).last)
    expectTrue(object.description.utf8.count < 10 << 20)
    expectEqual(reports.take(), [])
    if walk == .snapshot {
      _ = ObjectSnapshot(object)
    } else {
      let others = try TemporaryRealm(files.configuration.objectTypes ?? [])
      let other = try others.open()
      try other.write { _ = other.create(type, value: object) }
      expectEqual(other.objects(type).count, 1)
    }
    let found = reports.take()
    expectTrue(found.first?.contains(text) == true && found.count == 1, "\(found)")
    // The realm with the damage throws it when it writes next.
    #expect(throws: (any Error).self) { try realm.write { realm.delete(object) } }
  }

  /// The tables and columns of the classes with parts.
  private struct Tables {
    let group: WriteGroup
    let leaves, twigs, parts, owners: WritableTable
    let leavesOfTwig, twigsOfPart, partsOfOwner, partOfOwner: Column
    let numbers: [Column]

    init(_ file: DatabaseFile) throws {
      group = try WriteGroup(file.beginWrite())
      leaves = try group.createTable(named: "class_SharedLeaf", kind: .embedded)
      try leaves.addColumn(named: "number", type: .int)
      twigs = try group.createTable(named: "class_SharedTwig", kind: .embedded)
      leavesOfTwig = try twigs.addColumn(
        named: "leaves", type: .link, collection: .list, target: leaves.key)
      numbers = try ["ones", "twos", "threes", "fours", "fives"].map { [twigs] in
        try twigs.addColumn(named: $0, type: .int, collection: .list)
      }
      parts = try group.createTable(named: "class_SharedPart", kind: .embedded)
      twigsOfPart = try parts.addColumn(
        named: "twigs", type: .link, collection: .list, target: twigs.key)
      owners = try group.createTable(named: "class_SharedOwner")
      partOfOwner = try owners.addColumn(
        named: "part", type: .link, isNullable: true, target: parts.key)
      partsOfOwner = try owners.addColumn(
        named: "parts", type: .link, collection: .list, target: parts.key)
    }
  }

  private func make(_ files: TemporaryRealm, _ body: (Tables, ObjectKey) throws -> Void) throws {
    let file = try DatabaseFile.open(path: try #require(files.configuration.fileURL).path)
    let tables = try Tables(file)
    try body(tables, try tables.owners.createObject().key)
    _ = try tables.group.commit()
  }

  /// A part has a twig three hundred times, and the twig a leaf three hundred times.
  @Test(arguments: Walk.allCases) func walksOverEmbeddedObjectsEnd(_ walk: Walk) throws {
    let files = try TemporaryRealm(Self.types)
    try make(files) { tables, owner in
      let part = try tables.owners.createEmbedded(tables.partOfOwner, of: owner).key
      let twig = try tables.twigs.createObject().key
      let leaf = try tables.leaves.createObject().key
      for index in 0..<300 {
        try tables.parts.list(tables.twigsOfPart, part).insert(.link(twig), at: index)
        try tables.twigs.list(tables.leavesOfTwig, twig).insert(.link(leaf), at: index)
      }
    }
    try expectEnds(walk, SharedOwner.self, files, "embedded objects do not end")
  }

  /// An owner has a part five hundred times, which has a twig a hundred times: no part has more
  /// below it than the file has bytes. `OwnedWalk` 1.
  @Test(arguments: Walk.allCases) func walksOverManySharedPartsEnd(_ walk: Walk) throws {
    let files = try TemporaryRealm(Self.types)
    try make(files) { tables, owner in
      let part = try tables.parts.createObject().key
      let twig = try tables.twigs.createObject().key
      for index in 0..<100 {
        try tables.parts.list(tables.twigsOfPart, part).insert(.link(twig), at: index)
      }
      for index in 0..<500 {
        try tables.owners.list(tables.partsOfOwner, owner).insert(.link(part), at: index)
      }
    }
    try expectEnds(walk, SharedOwner.self, files, "embedded objects do not end")
  }

  /// The elements of a shared object count as well: five numbers of a twig, which a part has
  /// fifteen hundred times.
  @Test(arguments: Walk.allCases) func walksOverSharedElementsEnd(_ walk: Walk) throws {
    let files = try TemporaryRealm(Self.types)
    try make(files) { tables, owner in
      let part = try tables.owners.createEmbedded(tables.partOfOwner, of: owner).key
      let twig = try tables.twigs.createObject().key
      for column in tables.numbers {
        try tables.twigs.list(column, twig).insert(.int(1), at: 0)
      }
      for index in 0..<1_500 {
        try tables.parts.list(tables.twigsOfPart, part).insert(.link(twig), at: index)
      }
    }
    try expectEnds(walk, SharedOwner.self, files, "embedded objects do not end")
  }

  /// What has no owner may be linked to again and again, whatever it owns. `OwnedWalk` 1.
  @Test func linkedObjectsMayComeAgain() throws {
    let files = try TemporaryRealm(Self.types + [LinkingOwner.self])
    let reports = Reports()
    let realm = try Realm(configuration: reports.take(over: files.configuration))
    let linking = try realm.write {
      let owner = realm.create(SharedOwner.self)
      for _ in 0..<40 { owner.parts.append(SharedPart()) }
      let linking = realm.create(LinkingOwner.self)
      for _ in 0..<300 { linking.owners.append(owner) }
      return linking
    }
    let snapshot = ObjectSnapshot(linking)
    expectTrue(snapshot.owners.allSatisfy { $0.parts.count == 40 })
    let others = try TemporaryRealm(files.configuration.objectTypes ?? [])
    let other = try others.open()
    try other.write { _ = other.create(LinkingOwner.self, value: linking) }
    expectEqual(other.objects(SharedOwner.self).map(\.parts.count).reduce(0, +), 12_000)
    expectEqual(reports.take(), [])
  }

  /// A collection has another one twenty times, which has a third one as often, and so on.
  @Test(arguments: Walk.allCases, [true, false])
  func walksOverNestedCollectionsEnd(_ walk: Walk, areLists: Bool) throws {
    let files = try TemporaryRealm([NestedOwner.self])
    let file = try DatabaseFile.open(path: try #require(files.configuration.fileURL).path)
    try SharedParts.makeNested(levels: 6, areLists: areLists, in: file)
    try expectEnds(walk, NestedOwner.self, files, "nested collections do not end")
  }
}
