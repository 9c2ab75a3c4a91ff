// SPDX-License-Identifier: Apache-2.0

// The model of the first version of the app. Classes of the same name in another scope have the
// same table; they are not in the default schema, and are used only where they are listed.

import Foundation
import RealmSwift

/// The first version: no diaries, moods as numbers, kilometres, the weather among the properties.
enum FirstVersion {
  final class Entry: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var headline: String
    @Persisted var day: Date
    @Persisted var text: String?
    @Persisted var mood: Int
    @Persisted var kilometres: Double
    @Persisted var degrees: Double?
    @Persisted var placeName: String
    @Persisted var tags: List<String>

    override static func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Draft: Object {
    @Persisted var text: String

    override static func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// Writes a file as the first version of the app left it.
  static func writeFile(at url: URL) throws {
    let configuration = Realm.Configuration(
      fileURL: url, schemaVersion: 1, objectTypes: [Entry.self, Draft.self])
    try autoreleasepool {
      let realm = try Realm(configuration: configuration)
      try realm.write {
        for number in 0..<12 {
          realm.create(
            Entry.self,
            value: [
              "headline": "Day \(number)", "day": Date(timeIntervalSince1970: Double(number) * 4e5),
              "text": number % 3 == 0 ? nil : "It was day \(number).", "mood": number % 5,
              "kilometres": Double(number) / 4, "degrees": number % 2 == 0 ? 12.5 : nil,
              "placeName": ["Lyon", "Oslo", ""][number % 3],
              "tags": ["old", "old", number % 2 == 0 ? "even" : "odd"],
            ] as [String: Any?])
        }
        realm.create(Draft.self, value: ["text": "Something unfinished"])
      }
    }
  }
}
