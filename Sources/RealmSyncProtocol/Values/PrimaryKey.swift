// SPDX-License-Identifier: Apache-2.0

// The keys of objects on all devices.

package import RealmText

/// The primary key of an object as instructions carry it.
package enum PrimaryKey: Hashable, Sendable {
  case null
  case int(Int64)
  case string(InternedString)
  /// The key of an object whose class has no primary key.
  case globalKey(GlobalKey)
  case objectID(ObjectIDBits)
  case uuid(UUIDBits)
}

/// A key of two numbers: the file of the object's creation, and a counter of the file's table.
package struct GlobalKey: Hashable, Sendable {
  /// The file identifier of the creator; 0 while the creator does not know its own.
  package var high: UInt64
  /// The counter.
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
