// SPDX-License-Identifier: Apache-2.0

// The way through a selection, which may rest anywhere.

import RealmReplication
import RealmStorage
import RealmTables

/// Visits the objects of a selection, one after the other, in the version that it was made of.
struct ObjectWalk: Sendable {
  private let selection: ObjectSelection
  private var nextCluster = 0
  private var table: Table?
  /// The objects of the cluster at hand that are left.
  private var keys: ArraySlice<ObjectKey> = []
  /// The number of objects that are left.
  private(set) var count: Int

  init(_ selection: ObjectSelection) {
    self.selection = selection
    count = selection.count
  }

  /// The next object; nil at the end.
  mutating func next(
    in source: TableGroup
  ) throws(StorageError) -> (table: Table, key: ObjectKey)? {
    while true {
      if let table, let key = keys.popFirst() {
        count -= 1
        return (table, key)
      }
      guard nextCluster < selection.clusterCount else { return nil }
      let (table, keys) = try selection.objects(ofCluster: nextCluster, in: source)
      (self.table, self.keys) = (table, keys[...])
      nextCluster += 1
    }
  }

  /// The identities of the next objects, as many as one changeset of erasures names; none at the
  /// end.
  mutating func nextIdentities(
    in source: TableGroup, byteCountMax: Int
  ) throws(StorageError) -> [ObjectIdentity] {
    var identities: [ObjectIdentity] = []
    var byteCount = 0
    while byteCount < byteCountMax {
      guard let next = try next(in: source) else { break }
      guard let identity = try next.table.identity(of: next.key) else { continue }
      byteCount += identity.approximateByteCount
      identities.append(identity)
    }
    return identities
  }
}
