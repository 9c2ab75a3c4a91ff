// SPDX-License-Identifier: Apache-2.0

// Observation of collections by callbacks: on the realm's own confinement, on a queue or on an
// actor.

public import Dispatch
import RealmQuery
import RealmSession
import RealmStorage

extension RealmCollection {
  /// Calls `block` with the collection as it is, and again after each write transaction that
  /// changed it: that added, removed or moved elements, or set a property of an object in it, even
  /// to the value it had, or of an object up to four links away.
  ///
  /// `block` is called on the main actor, queue or actor of the realm, or by the run loop of its
  /// thread; never before this call returns. What several transactions did may come as one change.
  ///
  /// ```swift
  /// token = realm.objects(Todo.self).observe { change in
  ///   switch change {
  ///   case .initial(let todos): show(todos)
  ///   case .update(_, let deletions, let insertions, let modifications):
  ///     update(deletions, insertions, modifications)
  ///   case .error(let error): report(error)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are wanted; nil or empty for all. Insertions and
  ///     deletions are always reported. Observers of the same instance are notified together: a
  ///     change that one of them asks for is reported to all.
  ///   - queue: A serial queue to be called on instead, with the collection as it is known there.
  ///   - block: Gets the collection as it is, or a change.
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observed(on: queue) { $0.observeHere($1, keyPaths, block) }
  }

  /// Calls `block` as `observe(keyPaths:on:_:)` does, with typed key paths.
  ///
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken where Element: ObjectBase {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Calls `block` on an actor, with the collection as it is there, and again after each write
  /// transaction that changed it.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are wanted; nil or empty for all.
  ///   - actor: The actor on which to call. It is not kept alive.
  /// - Returns: A token, after the observer was registered. It must be kept as long as `block` is
  ///   to be called. If the task is cancelled or the collection is gone, its observation has ended.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    await observed(on: actor) { collection, core, actor in
      collection.observeHere(core, keyPaths, actor.calling(block))
    }
  }

  /// Calls `block` on an actor as `observe(keyPaths:on:_:)` does, with typed key paths.
  ///
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken where Element: ObjectBase {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }

  /// Registers an observer that is called where this realm lives.
  func observeHere(
    _ core: RealmCore, _ keyPaths: [String]?,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> Observation {
    let path = core.file.path
    // Copies of results share their state; other collections are instances themselves.
    let state = _resultsSource.state
    let subject = Self.self is AnyClass ? self as AnyObject : state
    let observation = core.observe(
      _definition.locator, keyPaths: keyPaths, sharing: ObjectIdentifier(subject),
      Observation.Handler { change, _ in
        state.willReport(change)
        block(.init(change, of: self, path))
      })
    state.note(observation)
    return observation
  }
}
