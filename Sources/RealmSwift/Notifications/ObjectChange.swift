// SPDX-License-Identifier: Apache-2.0

// `ObjectChange`: the notifications that observers of objects receive.

public import Foundation
import RealmSession
import RealmStorage
import RealmTables

/// A notification to an observer of an object.
public enum ObjectChange<ObjectType> {
  /// The database could not be read; the observation has ended.
  case error(NSError)

  /// Properties of the object were set, possibly to the values they had.
  case change(ObjectType, [PropertyChange])

  /// The object was deleted; the observation has ended.
  case deleted

  /// The notification for an observed change of an object in the file at a path.
  ///
  /// - Parameter changed: Gives the notification for changed columns; nil if there is none.
  init?(_ change: ObservedChange, _ path: String, changed: ([ColumnKey]) -> ObjectChange?) {
    switch change {
    case .object(let columns):
      guard let change = changed(columns) else { return nil }
      self = change
    case .objectDeleted: self = .deleted
    case .failed(let error): self = .error(Realm.Error(error, path: path) as NSError)
    case .initial, .collection, .collectionDeleted:
      preconditionFailure("an object is no collection")
    }
  }
}

/// A property of an object that was set.
public struct PropertyChange {
  /// The name of the property.
  public let name: String

  /// The value before, if the change was made elsewhere; nil for changes by this realm's own write
  /// transactions, and for collections.
  public let oldValue: Any?

  /// The value now; nil for collections.
  public let newValue: Any?
}
