// SPDX-License-Identifier: Apache-2.0

// The cache of a frozen collection's contents. Many threads may read it at once; those that read it
// before it is filled compute the contents for themselves, and the first result stays.

import RealmStorage
import Synchronization

/// The contents of a frozen list or of frozen results, once they are known.
///
/// Reading them takes no lock. They never become out of date.
final class FrozenContents: Sendable {
  /// The contents of a frozen realm change nothing but atomics (see there), so any thread may use
  /// them.
  private final class Box: @unchecked Sendable {
    let contents: _CollectionContents
    init(_ contents: _CollectionContents) { self.contents = contents }
  }

  private let box = AtomicLazyReference<Box>()
  /// The number of elements; negative while it is not known.
  private let knownCount = Atomic<Int>(-1)

  /// The contents, if they are known already.
  var loaded: _CollectionContents? { box.load()?.contents }

  /// The contents, which `evaluate` computes if need be.
  func contents(
    _ evaluate: @autoclosure () throws(StorageError) -> _CollectionContents
  ) throws(StorageError) -> _CollectionContents {
    if let loaded { return loaded }
    return box.storeIfNil(Box(try evaluate())).contents
  }

  /// The number of elements, which `evaluate` computes if need be.
  func count(_ evaluate: @autoclosure () throws(StorageError) -> Int) throws(StorageError) -> Int {
    if let loaded { return loaded.count }
    let known = knownCount.load(ordering: .relaxed)
    if known >= 0 { return known }
    let count = try evaluate()
    knownCount.store(count, ordering: .relaxed)
    return count
  }
}
