// SPDX-License-Identifier: Apache-2.0

// The changes of a map as an asynchronous sequence.

import RealmSession
import RealmStorage

extension Map {
  /// The map as it is, and then its changes, for `for await`.
  ///
  /// Elements come where the loop runs, which must be where the realm lives. While the loop is
  /// busy, changes are joined into one. The sequence ends as that of a list does; see
  /// `RealmCollection.changes(keyPaths:)`.
  ///
  /// - Parameter keyPaths: The properties of the objects whose changes are wanted; nil or empty for
  ///   all.
  public func changes(keyPaths: [String]? = nil) -> RealmMapChangeSequence<Key, Value> {
    RealmMapChangeSequence(map: self, keyPaths: keyPaths)
  }
}

/// The changes of a map; see `Map.changes(keyPaths:)`.
public struct RealmMapChangeSequence<Key: _MapKey, Value: RealmCollectionValue>: AsyncSequence {
  /// The changes of the map since the preceding element.
  public typealias Element = RealmMapChange<Map<Key, Value>>
  /// Never: errors are elements of the sequence.
  public typealias Failure = Never

  let map: Map<Key, Value>
  let keyPaths: [String]?

  /// Begins to observe the map. Traps where `observe` would.
  public func makeAsyncIterator() -> Iterator { Iterator(map, keyPaths) }

  /// Reads the changes of a map; the observation ends with it.
  public struct Iterator: AsyncIteratorProtocol {
    private let follower: MapFollower<Key, Value>
    private let subscription: ChangeSubscription

    init(_ map: Map<Key, Value>, _ keyPaths: [String]?) {
      guard let core = map.realm?.core else {
        throwRealmException(observationOfUnmanagedText)
      }
      follower = MapFollower(map, path: core.file.path)
      subscription = ChangeSubscription(map._definition.locator, keyPaths: keyPaths, of: core)
    }

    /// The next change; nil at the end. To be called where the realm lives.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> RealmMapChange<Map<Key, Value>>? {
      guard let (change, _) = await subscription.next(isolation: actor) else { return nil }
      return follower.change(for: change)
    }
  }
}
