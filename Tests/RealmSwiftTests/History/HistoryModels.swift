// SPDX-License-Identifier: Apache-2.0

// The classes of the tests about the history of files.

import Foundation
import RealmSwift
import RealmSwiftTestSupport

class HistoryParcel: Object {
  @Persisted(primaryKey: true) var code: String
  @Persisted var weight: Int
  @Persisted var label: HistoryLabel?
  @Persisted var stops: List<HistoryLabel>
  @Persisted var notes: List<HistoryNote>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class HistoryNote: Object {
  @Persisted var text: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class HistoryLabel: EmbeddedObject {
  @Persisted var town: String
  @Persisted var inner: HistoryStamp?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class HistoryStamp: EmbeddedObject {
  @Persisted var price: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum HistoryModels {
  static let types: [ObjectBase.Type] = [
    HistoryParcel.self, HistoryNote.self, HistoryLabel.self, HistoryStamp.self,
  ]
}

extension TemporaryRealm {
  /// A file that keeps the changes of `limit` commits.
  static func keepingHistory(_ limit: Int = 100) throws -> TemporaryRealm {
    let file = try TemporaryRealm(HistoryModels.types)
    file.configuration.historyLimit = limit
    return file
  }
}
