// SPDX-License-Identifier: Apache-2.0

// The configuration with which the app opens its file, whatever version wrote it.

import Foundation
import RealmSwift

extension Realm.Configuration {
  /// The configuration of the app, with migrations from older versions.
  static func diary(at url: URL) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: url,
      schemaVersion: 3,
      migrationBlock: { migration, oldVersion in
        if oldVersion < 2 { moveToVersion2(migration) }
        if oldVersion < 3 { moveToVersion3(migration) }
      },
      shouldCompactOnLaunch: { totalBytes, usedBytes in
        totalBytes > 10 << 20 && usedBytes < totalBytes / 2
      })
  }
}

/// Migrates to version 2: moods get names, distances metres, tags become a set, and headlines are
/// called titles.
private func moveToVersion2(_ migration: Migration) {
  migration.renameProperty(onType: "Entry", from: "headline", to: "title")
  let moods: [Mood?] = [.calm, .glad, .tired, .gloomy, nil]
  migration.enumerateObjects(ofType: Entry.className()) { old, new in
    guard let old, let new else { return }
    let mood = old["mood"] as? Int ?? 4
    new["mood"] = moods[min(mood, 4)]?.rawValue
    new["walked"] = Int(((old["kilometres"] as? Double ?? 0) * 1000).rounded())
    new["text"] = old["text"] as? String ?? ""
    if let tags = old["tags"] as? List<String>, let set = new["tags"] as? MutableSet<String> {
      set.insert(objectsIn: tags)
    }
  }
}

/// Migrates to version 3: weather and places become objects, drafts are deleted, and all entries
/// are in a diary.
private func moveToVersion3(_ migration: Migration) {
  var places: [String: MigrationObject] = [:]
  let diary = migration.create("Diary", value: ["name": "Mine"])
  migration.enumerateObjects(ofType: "Entry") { old, new in
    guard let old, let new else { return }
    if let degrees = old["degrees"] as? Double {
      new["weather"] = ["sky": Sky.clouds.rawValue, "degrees": degrees]
    }
    if let name = old["placeName"] as? String, !name.isEmpty {
      let place = places[name] ?? migration.create("Place", value: ["name": name])
      places[name] = place
      new["place"] = place
    }
    diary.dynamicList("entries").append(new)
  }
  migration.deleteData(forType: "Draft")
}
