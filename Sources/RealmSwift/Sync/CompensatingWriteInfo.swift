// SPDX-License-Identifier: Apache-2.0

// Writes that the server undid.

#if Sync
import Foundation
import RealmSyncProtocol
import RealmText

/// An object whose change the server did not accept, and undid.
public struct CompensatingWriteInfo: Sendable {
  /// The class of the object.
  public let objectType: String
  private let key: RejectedKey
  /// The server's explanation.
  public let reason: String

  init(_ update: RejectedUpdate) {
    objectType = update.table
    key = update.key
    reason = update.reason
  }

  /// The primary key of the object.
  public var primaryKey: AnyRealmValue {
    switch key {
    case .null: .none
    case .int(let number): .int(Int(number))
    case .string(let text): .string(text)
    case .objectID(let id): .objectId(ObjectId(high: id.high, low: id.low))
    case .uuid(let id): .uuid(UUID(id))
    }
  }
}
#endif
