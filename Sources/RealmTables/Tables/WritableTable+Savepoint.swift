// SPDX-License-Identifier: Apache-2.0

// What a table was at the beginning of a part of its transaction.

import RealmStorage

extension WritableTable {
  /// All that a table has beside nodes. Its indexes are settled.
  struct State {
    fileprivate let schema: TableSchema
    fileprivate let top: TableTop
    fileprivate let topRef: Ref
    fileprivate let clusterRoot: Ref
    fileprivate let tombstoneTree: ClusterEditor?
    fileprivate let tombstoneRoot: Ref
    fileprivate let layouts: [LeafLayout?]
    fileprivate let tombstoneLayouts: [LeafLayout?]
    fileprivate let isChanged: Bool
    fileprivate let keyBound: KeyBound
  }

  /// The present state, whose nodes are about to be sealed.
  func leaveState() throws(StorageError) -> State {
    try indexes.settle()
    clusters.leaveLeaf()
    unsafe tombstoneTree?.leaveLeaf()
    return state
  }

  /// The present state of a table with settled indexes.
  var state: State {
    unsafe assert(unindexed.isNull && newKeys.isEmpty, "`WritableTable` 2: the indexes are settled")
    return unsafe State(
      schema: schema, top: top, topRef: topRef, clusterRoot: clusters.root,
      tombstoneTree: tombstoneTree, tombstoneRoot: tombstoneTree?.root ?? .null,
      layouts: clusters.layouts, tombstoneLayouts: tombstoneTree?.layouts ?? [],
      isChanged: isChanged, keyBound: keyBound)
  }

  /// Goes back to an earlier state.
  func restore(_ state: State) {
    unsafe schema = state.schema
    unsafe top = state.top
    topRef = state.topRef
    clusters.restore(state.clusterRoot, state.layouts)
    state.tombstoneTree?.restore(state.tombstoneRoot, state.tombstoneLayouts)
    unsafe tombstoneTree = state.tombstoneTree
    unsafe isChanged = state.isChanged
    unsafe unindexed = .null
    unsafe newKeys = NewKeys()
    unsafe keyBound = state.keyBound
    forgetEnumerations()
  }
}
