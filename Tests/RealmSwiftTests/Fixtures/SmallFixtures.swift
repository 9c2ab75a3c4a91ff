// SPDX-License-Identifier: Apache-2.0

// The classes of files that Realm Core wrote, as a program would declare them.

import Foundation
import RealmSwift

/// The classes of `schema-changes.realm`.
enum SchemaChangesFixture {
  final class C: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var b: Bee?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<C>] {
      [
        \.id, \.b,
      ]
    }
  }

  final class A: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var c3renamed: Double
    @Persisted var c5: List<String?>
    @Persisted(indexed: true) var c1: Int?
    @Persisted var c6: Bool
    @Persisted(originProperty: "a") var bees: LinkingObjects<Bee>
    @Persisted(originProperty: "as") var manyBees: LinkingObjects<Bee>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<A>] {
      [
        \.id, \.c3renamed, \.c5, \.c1, \.c6,
      ]
    }

    static var backlinks: [(String, String, PartialKeyPath<A>)] {
      [("class_Bee", "a", \.bees), ("class_Bee", "as", \.manyBees)]
    }
  }

  final class Bee: Object, FixtureObject {
    @Persisted var a: A?
    @Persisted var `as`: List<A>
    @Persisted(originProperty: "b") var cs: LinkingObjects<C>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Bee>] {
      [
        \.a, \.`as`,
      ]
    }

    static var backlinks: [(String, String, PartialKeyPath<Bee>)] {
      [("class_C", "b", \.cs)]
    }
  }
}

/// The classes of `tombstones.realm`.
enum TombstonesFixture {
  final class Target: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: String
    @Persisted var n: Int
    @Persisted(originProperty: "link") var fromLink: LinkingObjects<Origin>
    @Persisted(originProperty: "links") var fromLinks: LinkingObjects<Origin>
    @Persisted(originProperty: "linkSet") var fromSet: LinkingObjects<Origin>
    @Persisted(originProperty: "linkDict") var fromMap: LinkingObjects<Origin>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Target>] {
      [
        \.id, \.n,
      ]
    }

    static var backlinks: [(String, String, PartialKeyPath<Target>)] {
      [
        ("class_Origin", "link", \.fromLink), ("class_Origin", "links", \.fromLinks),
        ("class_Origin", "linkSet", \.fromSet), ("class_Origin", "linkDict", \.fromMap),
      ]
    }
  }

  final class Origin: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var link: Target?
    @Persisted var links: List<Target>
    @Persisted var linkSet: MutableSet<Target>
    @Persisted var linkDict: Map<String, Target?>
    @Persisted var any: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Origin>] {
      [
        \.id, \.link, \.links, \.linkSet, \.linkDict, \.any,
      ]
    }
  }
}

/// The classes of `deep.realm`.
enum DeepFixture {
  final class N: Object, FixtureObject {
    @Persisted var n: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<N>] {
      [
        \.n
      ]
    }
  }
}
