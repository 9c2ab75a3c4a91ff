// SPDX-License-Identifier: Apache-2.0

// The part of identifiers of objects that their classes have in common.

import RealmTables

/// The identity of an object among those of its class.
enum IdentityInClass: Sendable, Hashable {
  case primaryKey(TableValue)
  /// The key of its row.
  case row(Int64)
}
