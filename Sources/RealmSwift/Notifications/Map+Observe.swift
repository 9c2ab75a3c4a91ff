// SPDX-License-Identifier: Apache-2.0

// Observation of maps by callbacks: on the realm's own confinement, on a queue or on an actor.

public import Dispatch
import RealmSession
import RealmStorage

extension Map {
  /// Calls `block` with the map as it is, and again after each write transaction that changed it:
  /// that set or removed a value, or changed an object in it or up to four links away.
  ///
  /// `block` is called on the main actor, queue or actor of the realm, or by the run loop of its
  /// thread; never before this call returns. What several transactions did may come as one change.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the objects whose changes are wanted; nil or empty for all.
  ///   - queue: A serial queue to be called on instead, with the map as it is known there.
  ///   - block: Gets the map as it is, or a change.
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> NotificationToken {
    observed(on: queue) { $0.observeHere($1, keyPaths, block) }
  }

  /// Calls `block` as `observe(keyPaths:on:_:)` does, with typed key paths.
  ///
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [PartialKeyPath<Value.Wrapped>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> NotificationToken where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Calls `block` on an actor, with the map as it is there, and again after each write transaction
  /// that changed it.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the objects whose changes are wanted; nil or empty for all.
  ///   - actor: The actor on which to call. It is not kept alive.
  /// - Returns: A token, after the observer was registered. It must be kept as long as `block` is
  ///   to be called. If the task is cancelled or the map is gone, its observation has ended.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
  ) async -> NotificationToken {
    await observed(on: actor) { map, core, actor in
      map.observeHere(core, keyPaths, actor.calling(block))
    }
  }

  /// Calls `block` on an actor as `observe(keyPaths:on:_:)` does, with typed key paths.
  ///
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Value.Wrapped>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
  ) async -> NotificationToken where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }

  private func observeHere(
    _ core: RealmCore, _ keyPaths: [String]?,
    _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> Observation {
    let follower = MapFollower(self, path: core.file.path)
    return core.observe(
      _definition.locator, keyPaths: keyPaths, sharing: ObjectIdentifier(self),
      Observation.Handler(skipped: follower.skip) { change, _ in
        block(follower.change(for: change))
      })
  }
}
