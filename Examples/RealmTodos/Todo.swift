// SPDX-License-Identifier: Apache-2.0

// What the devices share.

import Foundation
import RealmSwift

/// A thing to do.
class Todo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var text: String
  @Persisted var isDone: Bool
  @Persisted var createdAt: Date
}
