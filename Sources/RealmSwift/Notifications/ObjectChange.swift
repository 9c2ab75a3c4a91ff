// SPDX-License-Identifier: Apache-2.0

// `ObjectChange`: the notifications that observers of objects receive.

public import Foundation

/// A notification to an observer of an object.
public enum ObjectChange<ObjectType> {
  /// The database could not be read; the observation has ended.
  case error(NSError)

  /// Properties of the object were set, possibly to the values they had.
  case change(ObjectType, [PropertyChange])

  /// The object was deleted; the observation has ended.
  case deleted
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
