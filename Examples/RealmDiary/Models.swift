// SPDX-License-Identifier: Apache-2.0

// The model of a diary in the present version of the app: version 3.

import Foundation
import RealmSwift

/// A diary: entries in the order of their days.
final class Diary: Object {
  @Persisted(primaryKey: true) var name: String
  /// The entries, which are deleted with the diary.
  @Persisted(onDelete: .cascade) var entries: List<Entry>
  /// The settings of the view: any values that a screen stores.
  @Persisted var settings: Map<String, AnyRealmValue>
}

/// The entry of a day.
class Entry: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var title: String
  @Persisted(indexed: true) var day: Date
  @Persisted var text: String
  @Persisted var mood: Mood?
  @Persisted var isFavorite = false
  @Persisted var walked: Walk
  @Persisted var spent: Decimal128
  @Persisted var tags: MutableSet<String>
  @Persisted var photos: List<Photo>
  @Persisted var weather: Weather?
  @Persisted var place: Place?
  @Persisted var people: List<Person>
  /// Minutes, by activity.
  @Persisted var minutes: Map<String, Int>
  /// What the entry is remembered for: a string, a number, a place, or a list of such values.
  @Persisted var keepsake: AnyRealmValue
  @Persisted(originProperty: "entries") var diaries: LinkingObjects<Diary>

  convenience init(_ title: String, day: Int, text: String = "", mood: Mood? = nil) {
    self.init()
    self.title = title
    self.day = Date(timeIntervalSince1970: Double(day) * 86_400)
    self.text = text
    self.mood = mood
  }

  /// The month of the day, as a heading.
  var month: String {
    day.formatted(.iso8601.year().month())
  }
}

/// How a day felt.
enum Mood: String, PersistableEnum, Codable {
  case calm
  case glad
  case tired
  case gloomy
}

/// A distance walked: a type of the app, stored as a number of metres.
struct Walk: CustomPersistable, Hashable, Codable {
  var metres: Int

  init(metres: Int) { self.metres = metres }

  init(persistedValue: Int) { metres = persistedValue }
  var persistableValue: Int { metres }
}

/// A picture that belongs to an entry.
final class Photo: EmbeddedObject {
  @Persisted var fileName: String
  @Persisted var width = 640
  @Persisted var height = 480
  @Persisted var thumbnail: Data?
}

/// The weather of an entry.
final class Weather: EmbeddedObject {
  @Persisted var sky: Sky
  @Persisted var degrees: Double?
}

/// The state of the sky.
enum Sky: Int, PersistableEnum {
  case clear
  case clouds
  case rain
}

/// A place that entries are about.
final class Place: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var position: Position?
  @Persisted(originProperty: "place") var entries: LinkingObjects<Entry>
}

/// The position of a place: stored as an embedded object, used as a value.
struct Position: CustomPersistable, Hashable {
  var latitude: Double
  var longitude: Double

  init(_ latitude: Double, _ longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  init(persistedValue: StoredPosition) {
    self.init(persistedValue.latitude, persistedValue.longitude)
  }

  var persistableValue: StoredPosition {
    StoredPosition(value: ["latitude": latitude, "longitude": longitude])
  }
}

/// The stored form of a `Position`.
final class StoredPosition: EmbeddedObject {
  @Persisted var latitude: Double
  @Persisted var longitude: Double
}

/// A person in the diary. Declared `Codable`, so that contacts are decoded from JSON.
class Person: Object, Codable {
  @Persisted(primaryKey: true) var _id: UUID
  @Persisted var name: String
  @Persisted var nickname: String?
  @Persisted var birthday: Date?
  @Persisted var interests: List<String>
  @Persisted(originProperty: "people") var entries: LinkingObjects<Entry>

  /// The coded properties, without the entries, which the sender of a contact does not have.
  enum CodingKeys: String, CodingKey {
    case _id, name, nickname, birthday, interests
  }
}

/// A projection of the properties that a list of entries shows.
final class EntryRow: Projection<Entry> {
  @Projected(\Entry.title) var title
  @Projected(\Entry.place?.name) var placeName
  @Projected(\Entry.weather?.degrees) var degrees
  @Projected(\Entry.people.projectTo.name) var names: ProjectedCollection<String>
}
