// SPDX-License-Identifier: Apache-2.0

// The kinds of models that the documentation shows, in a module whose default isolation is the main
// actor: none of them says anything about isolation, except the extension of another module's type.

import Foundation
import RealmSwift

enum Priority: Int, PersistableEnum {
  case low, normal, high
}

struct Tint: CustomPersistable {
  var rgb: Int
  init(rgb: Int) { self.rgb = rgb }
  init(persistedValue: Int) { rgb = persistedValue }
  var persistableValue: Int { rgb }
}

struct Spot: CustomPersistable {
  var latitude = 0.0
  var longitude = 0.0
  init(latitude: Double, longitude: Double) {
    (self.latitude, self.longitude) = (latitude, longitude)
  }
  init(persistedValue: StoredSpot) {
    self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
  }
  var persistableValue: StoredSpot { StoredSpot(value: [latitude, longitude]) }
}

class StoredSpot: EmbeddedObject {
  @Persisted var latitude: Double
  @Persisted var longitude: Double
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

// What an extension adds is of the main actor in such a module unless it says otherwise.
nonisolated extension URL: FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) { self.init(string: persistedValue) }
  public var persistableValue: String { absoluteString }
}

class Chapter: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted(indexed: true) var title = ""
  @Persisted var priority = Priority.normal
  @Persisted var tint: Tint
  @Persisted var spot: Spot
  @Persisted var page: URL?
  @Persisted var due: Date?
  @Persisted var anything: AnyRealmValue
  @Persisted var notes: List<Note>
  @Persisted var tags: MutableSet<String>
  @Persisted var marks: Map<String, Int>
  @Persisted var next: Chapter?
  @Persisted(originProperty: "next") var previous: LinkingObjects<Chapter>

  /// A property that is not stored.
  var isSelected = false
  static let untitled = "Untitled"
  var shownTitle: String { title.isEmpty ? Chapter.untitled : title }

  convenience init(title: String, priority: Priority = .normal) {
    self.init()
    self.title = title
    self.priority = priority
  }

  override class func indexedProperties() -> [String] { ["due"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Note: EmbeddedObject, Codable {
  @Persisted var text = ""
  @Persisted var stars: Int?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ChapterRow: Projection<Chapter> {
  @Projected(\Chapter.title) var title
  @Projected(\Chapter.next?.title) var nextTitle
  @Projected(\Chapter.notes.projectTo.text) var noteTexts: ProjectedCollection<String>
}

/// A class in the older style.
class OldShelf: Object {
  let chapters = List<Chapter>()
  let count = RealmProperty<Int?>()
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
