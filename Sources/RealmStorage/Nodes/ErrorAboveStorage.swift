// SPDX-License-Identifier: Apache-2.0

// What lies below a module's door throws `StorageError` alone. The door converts it here.

/// The error of a module's door, with the database's among its cases.
@usableFromInline
package protocol ErrorAboveStorage: Error {
  static func storage(_ error: StorageError) -> Self
}

extension ErrorAboveStorage {
  /// What a call of the database gives, with its error as one of the door.
  @discardableResult
  @inlinable @inline(__always)
  package static func storing<R>(
    _ call: @autoclosure () throws(StorageError) -> R
  ) throws(Self) -> R {
    do throws(StorageError) { return try call() } catch { throw .storage(error) }
  }
}
