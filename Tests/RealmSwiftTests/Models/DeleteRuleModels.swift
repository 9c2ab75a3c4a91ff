// SPDX-License-Identifier: Apache-2.0

// Classes with rules for what is deleted with their objects.

import RealmSwift
import RealmSwiftTestSupport

class Volume: Object {
  @Persisted(primaryKey: true) var title: String
  @Persisted(onDelete: .cascade) var pages: List<Leaflet>
  @Persisted(onDelete: .cascade) var index: Leaflet?
  @Persisted(onDelete: .cascade) var plates: MutableSet<Leaflet>
  @Persisted(onDelete: .cascade) var notes: Map<String, Leaflet?>
  @Persisted(onDelete: .cascade) var extra: AnyRealmValue
  @Persisted(onDelete: .cascadeIfOrphaned) var covers = List<Picture>()
  @Persisted var similar: List<Volume>
  @Persisted var wrapper: Wrapper?
  @Persisted var wrappers: List<Wrapper>
  @Persisted(originProperty: "volume", onDelete: .deny) var loans: LinkingObjects<Loan>
  @Persisted(originProperty: "about", onDelete: .cascade) var reviews: LinkingObjects<Review>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Leaflet: Object {
  @Persisted var number: Int
  @Persisted(onDelete: .cascade) var next: Leaflet?

  convenience init(_ number: Int) {
    self.init()
    self.number = number
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Picture: Object {
  @Persisted var name: String
  @Persisted(originProperty: "covers") var volumes: LinkingObjects<Volume>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Wrapper: EmbeddedObject {
  @Persisted(onDelete: .cascade) var ribbon: Leaflet?
  @Persisted(onDelete: .cascadeIfOrphaned) var stamp: Picture?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Loan: Object {
  @Persisted var volume: Volume?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Review: Object {
  @Persisted var about: List<Volume>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension TemporaryRealm {
  static func ofVolumes() throws -> TemporaryRealm {
    try TemporaryRealm([
      Volume.self, Leaflet.self, Picture.self, Wrapper.self, Loan.self, Review.self,
    ])
  }
}

/// The classes without rules, over the same tables.
enum WithoutRules {
  class Volume: Object {
    @Persisted(primaryKey: true) var title: String
    @Persisted var pages: List<Leaflet>
    @Persisted var index: Leaflet?
    @Persisted var plates: MutableSet<Leaflet>
    @Persisted var notes: Map<String, Leaflet?>
    @Persisted var extra: AnyRealmValue
    @Persisted var covers: List<Picture>
    @Persisted var similar: List<Volume>
    @Persisted var wrapper: Wrapper?
    @Persisted var wrappers: List<Wrapper>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Leaflet: Object {
    @Persisted var number: Int
    @Persisted var next: Leaflet?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Picture: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Wrapper: EmbeddedObject {
    @Persisted var ribbon: Leaflet?
    @Persisted var stamp: Picture?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}
