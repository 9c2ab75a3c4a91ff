// SPDX-License-Identifier: Apache-2.0

// The file of the first version, and writing new entries.

import Foundation
import RealmSwift

/// Opens the file that the first version wrote, and checks its contents.
@MainActor
func checkMigration() throws {
  let configuration = Realm.Configuration.defaultConfiguration
  try expect(schemaVersionAtURL(require(configuration.fileURL)), 1)
  let realm = try Realm()
  try expect(schemaVersionAtURL(require(configuration.fileURL)), 3)
  let entries = realm.objects(Entry.self).sorted(byKeyPath: "title")
  try expect(entries.count, 12)
  let third = try require(realm.objects(Entry.self).where { $0.title == "Day 2" }.first)
  try expect(third.mood, .tired)
  try expect(third.walked, Walk(metres: 500))
  try expect(third.text, "It was day 2.")
  try expect(Set(third.tags), ["old", "even"])
  try expect(third.weather?.degrees, 12.5)
  try expect(third.place, nil)
  try expect(third.diaries.first?.name, "Mine")
  try expect(realm.objects(Place.self).map(\.name).sorted(), ["Lyon", "Oslo"])
  try expect(realm.object(ofType: Place.self, forPrimaryKey: "Lyon")?.entries.count, 4)
  try expect(entries.where { $0.mood == nil }.count, 2)
  try expect(entries.where { $0.text == "" }.count, 4)
  try expect(realm.schema["Draft"] == nil, true)
  print("1. Twelve entries of the first version came along.")
}

/// Adds objects and creates them from dictionaries, updates by primary key, and rolls back.
@MainActor
func write(in realm: Realm) throws {
  let walk = Entry("A walk", day: 200, text: "Along the river, then home.", mood: .glad)
  walk.walked = Walk(metres: 7_300)
  walk.spent = "12.40"
  walk.tags.insert(objectsIn: ["outside", "river"])
  walk.weather = Weather(value: ["sky": Sky.clear, "degrees": 21.5])
  walk.photos.append(Photo(value: ["fileName": "river.jpg", "width": 4000, "height": 3000]))
  walk.people.append(Person(value: ["name": "Ada", "interests": ["engines"]]))
  walk.minutes["walking"] = 95
  try expect(walk.realm == nil, true)

  let diary = try require(realm.object(ofType: Diary.self, forPrimaryKey: "Mine"))
  try realm.write {
    diary.entries.append(walk)
    let dinner = realm.create(
      Entry.self,
      value: [
        "title": "Dinner", "day": Date(timeIntervalSince1970: 201 * 86_400), "mood": "calm",
        "tags": ["food"], "place": ["name": "Porto"], "spent": 31, "minutes": ["eating": 120],
        "photos": [["fileName": "soup.jpg"], ["fileName": "fish.jpg", "width": 800]],
        "people": [["name": "Grace"], walk.people[0]] as [Any],
      ])
    diary.entries.append(dinner)
    diary.settings["fontSize"] = .int(14)
  }
  try expect(walk.realm == realm, true)
  try expect(diary.entries.count, 14)
  try expect(walk.people[0].entries.count, 2)
  try expect(diary.entries.last?.photos[1].width, 800)
  try expect(diary.entries.last?.photos[1].height, 480)

  // A second "Porto" would be an error; with an update policy it is the same place.
  let porto = try realm.write {
    realm.create(
      Place.self, value: ["name": "Porto", "position": Position(41.1, -8.6)], update: .modified)
  }
  try expect(porto.position, Position(41.1, -8.6))
  try expect(porto.entries.first?.title, "Dinner")

  struct ChangedMyMind: Error {}
  do {
    try realm.write {
      walk.title = "Nothing"
      realm.deleteAll()
      throw ChangedMyMind()
    }
  } catch is ChangedMyMind {
    try expect(walk.title, "A walk")
    try expect(realm.objects(Entry.self).count, 14)
  }
  realm.beginWrite()
  walk.isFavorite = true
  realm.cancelWrite()
  try expect(walk.isFavorite, false)
  try realm.write { walk.isFavorite.toggle() }
  try expect(walk.isFavorite, true)
  print("2. Two more were written, and what was thrown away is gone.")
}

/// Deletes objects.
@MainActor
func remove(from realm: Realm) throws {
  let walk = try require(realm.objects(Entry.self).where { $0.title == "A walk" }.first)
  let photo = try require(walk.photos.first)
  let people = realm.objects(Person.self)
  let count = people.count
  try realm.write { realm.delete(walk) }
  try expect(walk.isInvalidated, true)
  try expect(photo.isInvalidated, true)
  try expect(people.count, count)
  try realm.write {
    realm.delete(realm.objects(Entry.self).where { $0.tags.contains("old") })
    realm.delete(people.where { $0.entries.count == 0 })
  }
  try expect(realm.objects(Entry.self).map(\.title).sorted(), ["Dinner"])
  try expect(people.map(\.name).sorted(), ["Ada", "Grace"])
  try realm.write { realm.delete(realm.objects(Diary.self)) }
  try expect(realm.objects(Entry.self).count, 0)
  try realm.write { realm.deleteAll() }
  try expect(realm.isEmpty, true)
  print("12. All is deleted.")
}
