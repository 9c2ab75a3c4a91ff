// SPDX-License-Identifier: Apache-2.0

// Objects as `Identifiable`, for lists in user interfaces.

import RealmTables

/// Gives model classes an identity of their own, without a property for it.
///
/// ```swift
/// class Dog: Object, ObjectKeyIdentifiable { … }
/// ```
public protocol ObjectKeyIdentifiable: Identifiable {
  /// The stable identity of the object.
  var id: UInt64 { get }
}

/// The misspelled name of `ObjectKeyIdentifiable` in old programs.
public typealias ObjectKeyIdentifable = ObjectKeyIdentifiable

extension ObjectKeyIdentifiable where Self: ObjectBase {
  /// Distinguishes the object from others of its class. For managed objects it is their identity in
  /// the database, so that all accessors of one object agree, frozen ones too; for unmanaged ones
  /// the instance.
  public var id: UInt64 {
    if _info != nil { return unsafe UInt64(bitPattern: _key.rawValue) }
    return unsafe UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
  }
}
