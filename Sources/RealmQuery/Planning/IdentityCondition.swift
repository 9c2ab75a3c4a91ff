// SPDX-License-Identifier: Apache-2.0

// A condition on the object itself.

import RealmStorage
import RealmTables

/// The location of an object in the version that a plan is for.
@safe
struct RowPlace: Equatable {
  private let cluster: UnsafeRawPointer
  private let index: Int

  init(_ row: Row) {
    unsafe cluster = unsafe row.cluster.address
    index = row.index
  }

  static func == (left: RowPlace, right: RowPlace) -> Bool {
    unsafe left.cluster == right.cluster && left.index == right.index
  }
}

/// Whether the object is one of several.
struct IdentityCondition: Condition {
  let places: [RowPlace]

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    let place = RowPlace(row)
    for other in places where other == place { return true }
    return false
  }
}
