// SPDX-License-Identifier: Apache-2.0

// What the server and the client share: the class of the objects.

public import Foundation
public import RealmSwift

/// An errand of a person.
public class Errand: Object {
  /// The id.
  @Persisted(primaryKey: true) public var _id: ObjectId
  /// What there is to do.
  @Persisted public var text: String
  /// The id of the user who has to do it.
  @Persisted public var owner: String
  /// Whether others may read it.
  @Persisted public var isPublic: Bool
  /// Whether it is done.
  @Persisted public var isDone: Bool
  /// When it was done: the server sets it.
  @Persisted public var doneAt: Date?
}
