// SPDX-License-Identifier: Apache-2.0

// A note, as the service stores it and as its clients get it.

#if Tools
import Foundation
import Hummingbird
import RealmSwift

/// A note in the database.
final class Note: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var text: String
  @Persisted var isDone: Bool
  @Persisted(indexed: true) var createdAt: Date
}

/// A note as a value, which leaves the actor.
struct NoteBody: Codable, Hashable, Sendable, ResponseEncodable {
  var id: String
  var text: String
  var isDone: Bool
  var createdAt: Date

  init(_ note: Note) {
    id = note.id.stringValue
    text = note.text
    isDone = note.isDone
    createdAt = note.createdAt
  }
}

/// What a client may set; what it leaves out stays.
struct NoteInput: Codable, Sendable {
  var text: String?
  var isDone: Bool?
}
#endif
