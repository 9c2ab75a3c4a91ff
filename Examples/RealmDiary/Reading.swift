// SPDX-License-Identifier: Apache-2.0

// Queries, collections, mixed values, sections and projections.

import Foundation
import RealmSwift

/// Queries in Swift and with query strings, and computes aggregates.
@MainActor
func ask(_ realm: Realm) throws {
  let entries = realm.objects(Entry.self)
  let farAndGlad = entries.where { $0.walked.persistableValue > 5_000 && $0.mood == .glad }
  try expect(farAndGlad.map(\.title), ["A walk"])
  try expect(entries.where { $0.weather.degrees > 20 || $0.isFavorite }.count, 1)
  try expect(entries.where { $0.place.name.starts(with: "l", options: .caseInsensitive) }.count, 4)
  try expect(entries.where { $0.people.name == "Grace" }.count, 1)
  try expect(entries.where { $0.photos.count == 2 }.first?.title, "Dinner")
  try expect(entries.where { $0.photos.width.max > 3_000 }.first?.title, "A walk")
  try expect(entries.where { $0.tags.containsAny(in: ["food", "river"]) }.count, 2)
  try expect(entries.where { $0.minutes["eating"] >= 120 }.count, 1)
  try expect(entries.where { $0.mood.in([.tired, .gloomy]) && !$0.tags.contains("odd") }.count, 2)
  try expect(
    entries.where { ($0.photos.width > 700 && $0.photos.fileName.ends(with: ".jpg")).count > 0 }
      .count, 2)
  try expect(entries.filter("mood == 'glad' AND title CONTAINS[c] 'WALK'").count, 1)
  try expect(entries.filter("ANY people.name == %@ AND spent > %@", "Ada", 20).count, 1)
  let predicate = NSPredicate(format: "day >= %@", Date(timeIntervalSince1970: 200 * 86_400))
  try expect(entries.filter(predicate).count, 2)
  try expect(realm.objects(Person.self).where { $0.entries.count == 2 }.first?.name, "Ada")
  try expect(realm.objects(Diary.self).where { $0.entries.place.name == "Porto" }.count, 1)

  try expect(entries.sorted(byKeyPath: "day", ascending: false).first?.title, "Dinner")
  try expect(entries.sorted(by: \.walked, ascending: false).first?.title, "A walk")
  let byMoodThenDay = entries.sorted(by: [
    SortDescriptor(keyPath: "mood"), SortDescriptor(keyPath: \Entry.day, ascending: false),
  ])
  try expect(byMoodThenDay.prefix(2).map(\.title), ["Day 9", "Day 4"])
  try expect(byMoodThenDay.last?.mood, .tired)
  try expect(entries.distinct(by: [\Entry.mood]).count, 5)
  // Those without weather come last.
  let byWarmth = entries.sorted(byKeyPath: "weather.degrees")
  try expect(byWarmth.last?.title, "Dinner")
  try expect(byWarmth.where { $0.weather != nil }.last?.title, "A walk")

  try expect(entries.sum(of: \.spent), "43.40")
  try expect(entries.max(ofProperty: "day") as Date?, entries.max(of: \.day))
  try expect(entries.max(of: \.walked), Walk(metres: 7_300))
  try expect(entries.where { $0.walked > Walk(metres: 2_600) }.count, 2)
  try expect(entries.where { $0.walked.persistableValue.contains(0...500) }.count, 4)
  try expect(entries.average(ofProperty: "spent") as Decimal128? == nil, false)
  try expect(entries.index(matching: { $0.title == "Dinner" }) != nil, true)
  print("3. Questions were answered.")
}

/// Moves, replaces and compares elements of collections.
@MainActor
func arrange(_ realm: Realm) throws {
  let dinner = try require(realm.objects(Entry.self).where { $0.title == "Dinner" }.first)
  let walk = try require(realm.objects(Entry.self).where { $0.title == "A walk" }.first)
  let names = dinner.people.map { $0.name }
  try expect(Array(names), ["Grace", "Ada"])
  try realm.write {
    dinner.people.move(from: 1, to: 0)
    dinner.people.append(Person(value: ["name": "Edsger", "nickname": "Dijkstra"]))
    dinner.people.swapAt(1, 2)
    dinner.photos.insert(Photo(value: ["fileName": "menu.png"]), at: 1)
    dinner.photos.remove(at: 2)
    walk.tags.formUnion(dinner.tags)
    dinner.minutes["eating", default: 0] += 15
    dinner.minutes["talking"] = 180
  }
  try expect(dinner.people.map { $0.name }, ["Ada", "Edsger", "Grace"])
  try expect(dinner.photos.map { $0.fileName }, ["soup.jpg", "menu.png"])
  try expect(walk.tags.sorted(), ["food", "outside", "river"])
  try expect(dinner.tags.isSubset(of: walk.tags), true)
  try expect(dinner.minutes.keys.sorted(), ["eating", "talking"])
  try expect(dinner.minutes.sum(), 315)
  try expect(dinner.minutes.max(), 180)
  var total = 0
  for entry in dinner.minutes { total += entry.value }
  try expect(total, 315)
  try expect(dinner.people.value(forKey: "name").compactMap { $0 as? String }.count, 3)
  try expect(dinner.people.index(of: walk.people[0]), 0)
  try realm.write {
    walk.tags.subtract(dinner.tags)
    dinner.people.removeSubrange(1..<2)
    dinner.minutes["talking"] = nil
  }
  try expect(dinner.people.count, 2)
  try expect(realm.objects(Person.self).count, 3)
  print("4. Lists, sets and maps were arranged.")
}

/// Stores values of different types in one property.
@MainActor
func keepMixedValues(_ realm: Realm) throws {
  let walk = try require(realm.objects(Entry.self).where { $0.title == "A walk" }.first)
  let porto = try require(realm.object(ofType: Place.self, forPrimaryKey: "Porto"))
  let diary = try require(walk.diaries.first)
  try realm.write {
    walk.keepsake = .object(porto)
    diary.settings["theme"] = .string("paper")
    diary.settings["recent"] = .fromArray([.string("river"), .int(7), .object(walk)])
  }
  try expect(walk.keepsake.object(Place.self)?.name, "Porto")
  try expect(realm.objects(Entry.self).where { $0.keepsake == .object(porto) }.count, 1)
  let recent = try require(diary.settings["recent"]?.listValue)
  try expect(recent[2].object(Entry.self)?.title, "A walk")
  try realm.write {
    recent.append(.bool(true))
    walk.keepsake = .fromDictionary(["shells": .int(3), "sand": .none])
  }
  try expect(recent.count, 4)
  try expect(walk.keepsake.dictionaryValue?["shells"]?.intValue, 3)
  try expect(realm.objects(Entry.self).where { $0.keepsake["shells"] == .int(3) }.count, 1)
  try expect(diary.settings.count, 3)
  print("5. Mixed values hold what they were given.")
}

/// Groups entries under headings.
@MainActor
func showSections(of realm: Realm) throws {
  let byMonth = realm.objects(Entry.self).sectioned(by: \.month, ascending: true)
  try expect(byMonth.allKeys.first, "1970-01")
  try expect(byMonth.count, byMonth.allKeys.count)
  try expect(byMonth.map { $0.count }.reduce(0, +), 14)
  let byMood = realm.objects(Entry.self).sectioned(
    by: \.mood, sortDescriptors: [.init(keyPath: "mood"), .init(keyPath: "day")])
  try expect(byMood.allKeys, [nil, .calm, .glad, .gloomy, .tired])
  try expect(byMood[1].last?.title, "Dinner")
  print("6. \(byMonth.count) months, \(byMood.count) moods.")
}

/// Shows projections of entries, with the properties of a row.
@MainActor
func showRows(of realm: Realm) async throws {
  let rows = realm.objects(EntryRow.self).where { $0.title == "Dinner" }
  let row = try require(rows.first)
  try expect(row.placeName, "Porto")
  try expect(row.degrees, nil)
  try expect(Array(row.names), ["Ada", "Grace"])
  var changes: [String] = []
  let token = row.observe { change in
    if case .change(_, let properties) = change { changes += properties.map(\.name) }
  }
  try realm.write {
    row.title = "Late dinner"
    row.names[0] = "Ada L."
  }
  realm.refresh()
  try await wait(for: "the row's change") { !changes.isEmpty }
  token.invalidate()
  try expect(changes.contains("title"), true)
  try expect(realm.objects(Person.self).where { $0.name == "Ada L." }.count, 1)
  try realm.write {
    row.title = "Dinner"
    row.rootObject.people[0].name = "Ada"
  }
  print("7. Rows were read, written and watched.")
}
