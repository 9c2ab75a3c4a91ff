// SPDX-License-Identifier: Apache-2.0

// The identity of an object inside of its class.

package import RealmFormats

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
