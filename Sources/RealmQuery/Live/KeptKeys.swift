// SPDX-License-Identifier: Apache-2.0

// The rest of a list of keys, without building it.

import RealmStorage
import RealmTables

/// A list of keys without some of them.
struct KeptKeys {
  private let keys: ChunkedKeys
  /// Indexes of `keys`, ascending.
  private let removed: [Int]
  let count: Int

  init(_ keys: ChunkedKeys, removed: [Int]) {
    self.keys = keys
    self.removed = removed
    count = keys.count - removed.count
    assert(count >= 0, "more keys are taken out than there are")
  }

  /// The key at a position among those that are left.
  subscript(position: Int) -> ObjectKey {
    assert(position >= 0 && position < count, "a position outside of what is left")
    // The number of removed keys before it: removed[k] - k is the position in front of which the
    // k-th removed key stood.
    let low = (0..<removed.count).partitionPoint { removed[$0] - $0 <= position }
    return keys[position + low]
  }
}
