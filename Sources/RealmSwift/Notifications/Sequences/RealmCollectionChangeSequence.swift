// SPDX-License-Identifier: Apache-2.0

// The changes of a collection as an asynchronous sequence.

import RealmQuery
import RealmSession
import RealmStorage

extension RealmCollection {
  /// The collection as it is, and then its changes, for `for await`.
  ///
  /// ```swift
  /// for await change in realm.objects(Todo.self).changes() {
  ///   switch change {
  ///   case .initial(let todos): show(todos)
  ///   case .update(_, let deletions, let insertions, let modifications):
  ///     update(deletions, insertions, modifications)
  ///   case .error(let error): report(error)
  ///   }
  /// }
  /// ```
  ///
  /// Elements come where the loop runs, which must be where the realm lives. While the loop is
  /// busy, changes are joined into one, so nothing accumulates. The sequence ends after the last
  /// change of a list whose object was deleted, after an error, when the realm is invalidated, and
  /// when the task is cancelled.
  ///
  /// - Parameter keyPaths: The properties whose changes are wanted; nil or empty for all.
  ///   Insertions and deletions are always reported.
  public func changes(keyPaths: [String]? = nil) -> RealmCollectionChangeSequence<Self> {
    RealmCollectionChangeSequence(collection: self, keyPaths: keyPaths)
  }

  /// The collection as it is, and then its changes, as `changes(keyPaths:)` returns them, with
  /// typed key paths.
  public func changes(
    keyPaths: [PartialKeyPath<Element>]
  ) -> RealmCollectionChangeSequence<Self> where Element: ObjectBase {
    changes(keyPaths: keyPaths.map { _name(for: $0) })
  }
}

/// The changes of a collection; see `RealmCollection.changes(keyPaths:)`.
public struct RealmCollectionChangeSequence<Collection: RealmCollection>: AsyncSequence {
  /// The changes of the collection since the preceding element.
  public typealias Element = RealmCollectionChange<Collection>
  /// Never: errors are elements of the sequence.
  public typealias Failure = Never

  let collection: Collection
  let keyPaths: [String]?

  /// Begins to observe the collection. Traps where `observe` would.
  public func makeAsyncIterator() -> Iterator { Iterator(collection, keyPaths) }

  /// Reads the changes of a collection; the observation ends with it.
  public struct Iterator: AsyncIteratorProtocol {
    private let collection: Collection
    private let subscription: ChangeSubscription
    private let path: String
    private let state: ResultsState

    init(_ collection: Collection, _ keyPaths: [String]?) {
      guard let core = collection.realm?.core else {
        throwRealmException(observationOfUnmanagedText)
      }
      self.collection = collection
      path = core.file.path
      subscription = ChangeSubscription(
        collection._definition.locator, keyPaths: keyPaths, of: core)
      state = collection._resultsSource.state
      state.note(subscription.observed)
    }

    /// The next change; nil at the end. To be called where the realm lives.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> RealmCollectionChange<Collection>? {
      guard let (change, _) = await subscription.next(isolation: actor) else { return nil }
      state.willReport(change)
      return .init(change, of: collection, path)
    }
  }
}
