// SPDX-License-Identifier: Apache-2.0

#if Postgres
import RealmSwift

/// A thing to do.
class StoreTodo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var text: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
#endif
