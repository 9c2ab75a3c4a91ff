// SPDX-License-Identifier: Apache-2.0

// What the devices of a user share: the class of the guides, and of Examples/RealmTodos.

import RealmSwift

/// A thing to do.
class Todo: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var isDone: Bool
  /// The id of the user who added it.
  @Persisted var owner: String
}
