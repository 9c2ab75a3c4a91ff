// SPDX-License-Identifier: Apache-2.0

// What a client that listens gets.

#if Tools
import Foundation
import RealmSwift

/// The changes of some commits.
struct NoteEvent: Codable, Sendable {
  /// The notes that came or were written.
  var changed: [NoteBody] = []
  /// The identifiers of the notes that went.
  var deleted: [String] = []
  /// Whether the client begins again with these notes: what it missed is not known any more.
  var isReset = false

  /// The event as a server-sent event, whose `id` is where a client goes on that lost its
  /// connection.
  func text(id token: HistoryToken) throws -> String {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let id = try encoder.encode(token).base64EncodedString()
    return "id: \(id)\ndata: \(String(decoding: try encoder.encode(self), as: UTF8.self))\n\n"
  }

  /// The position that a client sends as `Last-Event-ID`.
  static func token(id: String) -> HistoryToken? {
    Data(base64Encoded: id).flatMap { try? JSONDecoder().decode(HistoryToken.self, from: $0) }
  }
}
#endif
