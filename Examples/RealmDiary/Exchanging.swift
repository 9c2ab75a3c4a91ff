// SPDX-License-Identifier: Apache-2.0

// JSON in and out, and copies of the file.

import Foundation
import RealmSwift

/// The form in which an entry is written to a backup: a struct.
private struct Backup: Codable, Equatable {
  struct Day: Codable, Equatable {
    var title: String
    var mood: Mood?
    var walked: Walk
    var spent: Decimal128
    var tags: [String]
    var people: [String]
  }
  var name: String
  var days: [Day]

  init(_ diary: Diary) {
    name = diary.name
    days = diary.entries.map { entry in
      Day(
        title: entry.title, mood: entry.mood, walked: entry.walked, spent: entry.spent,
        tags: entry.tags.sorted(), people: entry.people.map(\.name))
    }
  }
}

/// Imports contacts, and writes backups.
@MainActor
func exchange(with realm: Realm) throws {
  let json = """
    [{"_id": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "name": "Barbara", "interests": ["types"]},
     {"_id": "7F9619FF-8B86-D011-B42D-00C04FC964FF", "name": "Tony", "nickname": null,
      "birthday": 100, "interests": []}]
    """
  let decoder = JSONDecoder()
  let contacts = try decoder.decode([Person].self, from: Data(json.utf8))
  let again = try decoder.decode([Person].self, from: JSONEncoder().encode(contacts))
  try expect(again.map(\.name), ["Barbara", "Tony"])
  try realm.write { realm.add(contacts, update: .modified) }
  let barbara = try require(
    realm.object(
      ofType: Person.self,
      forPrimaryKey: require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF"))))
  try expect(Array(barbara.interests), ["types"])
  // Managed objects cannot be encoded; a snapshot of one can, with all that it links to.
  do {
    _ = try JSONEncoder().encode(barbara)
    throw UnexpectedResult(description: "a managed object was encoded")
  } catch is EncodingError {}
  let picture = ObjectSnapshot(barbara)
  try expect(
    JSONDecoder().decode(ObjectSnapshot<Person>.self, from: JSONEncoder().encode(picture)), picture)

  let diary = try require(realm.objects(Diary.self).first)
  let backup = try JSONEncoder().encode(Backup(diary))
  try expect(JSONDecoder().decode(Backup.self, from: backup), Backup(diary))
  try expect(Backup(diary).days.last?.people, ["Ada", "Grace"])
  let tags = try require(realm.objects(Entry.self).where { $0.title == "A walk" }.first).tags
  try expect(
    Set(JSONDecoder().decode([String].self, from: JSONEncoder().encode(tags))), Set(tags))
  print("10. Contacts came in, and a backup of \(backup.count) bytes went out.")
}

/// Copies the file, opens the copies, and deletes them.
@MainActor
func copy(_ realm: Realm, to folder: URL) throws {
  let count = realm.objects(Entry.self).count
  let url = folder.appending(path: "copy.realm")
  try realm.writeCopy(toFile: url)
  do {
    try realm.writeCopy(toFile: url)
    throw UnexpectedResult(description: "a file was overwritten")
  } catch Realm.Error.fileExists {}

  var readOnly = Realm.Configuration.defaultConfiguration
  readOnly.shouldCompactOnLaunch = nil
  readOnly.fileURL = url
  readOnly.readOnly = true
  try autoreleasepool {
    let copy = try Realm(configuration: readOnly)
    try expect(copy.objects(Entry.self).count, count)
  }

  // The same file, bundled with the app and used as the seed of a new one.
  var seeded = Realm.Configuration.defaultConfiguration
  seeded.fileURL = folder.appending(path: "seeded.realm")
  seeded.seedFilePath = url
  seeded.shouldCompactOnLaunch = { _, _ in true }
  try autoreleasepool {
    let copy = try Realm(configuration: seeded)
    try copy.write { copy.create(Entry.self, value: ["title": "Only here"]) }
    try expect(copy.objects(Entry.self).count, count + 1)
  }
  try expect(Realm.deleteFiles(for: seeded), true)
  try expect(Realm.fileExists(for: seeded), false)
  try expect(Realm.deleteFiles(for: readOnly), true)

  let inMemory = try Realm(configuration: .init(inMemoryIdentifier: "scratch"))
  try inMemory.write {
    // Places and people that several entries share are created once.
    for entry in realm.objects(Entry.self) {
      inMemory.create(Entry.self, value: entry, update: .modified)
    }
  }
  try expect(inMemory.objects(Entry.self).count, count)
  try expect(inMemory.objects(Person.self).isEmpty, false)
  print("11. \(count) entries were copied four times.")
}
