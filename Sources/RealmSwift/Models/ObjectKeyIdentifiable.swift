// SPDX-License-Identifier: Apache-2.0

// Identities for lists of objects on a screen.

import RealmTables

/// Objects that are `Identifiable` by the row they stand for.
///
/// ```swift
/// class Todo: Object, ObjectKeyIdentifiable { … }
/// ```
public protocol ObjectKeyIdentifiable: Identifiable {
  /// What identifies the object as long as it exists.
  var id: UInt64 { get }
}

/// Another spelling of `ObjectKeyIdentifiable`.
public typealias ObjectKeyIdentifable = ObjectKeyIdentifiable

extension ObjectKeyIdentifiable where Self: ObjectBase {
  /// The key of the row of a managed object; for others where the instance is in memory.
  public var id: UInt64 { _identity }
}

extension ObjectBase {
  /// Equal for all instances that stand for one row, and for nothing else of the class.
  final var _identity: UInt64 {
    if _hot != nil { return UInt64(bitPattern: _key.rawValue) }
    return UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
  }
}
