// SPDX-License-Identifier: Apache-2.0

// Observation of objects on an actor. Each of the two base classes has its own functions: without
// an annotation, the block's object is of that class.

extension Object {
  /// Calls `block` on an actor, with the object as it is there, after each write transaction that
  /// set a property of it, and once when it is deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are wanted; nil or empty for all.
  ///   - actor: The actor on which to call. It is not kept alive.
  /// - Returns: A token, after the observer was registered. It must be kept as long as `block` is
  ///   to be called. If the task is cancelled or the object is gone, its observation has ended.
  public final func observe<A: Actor, T: Object>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths, onActor: actor, _isolation: _isolation, block)
  }

  /// Calls `block` on an actor as `observe(keyPaths:on:_:)` does, with typed key paths.
  ///
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public final func observe<A: Actor, T: Object>(
    keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths.map { _name(for: $0) }, onActor: actor, _isolation: _isolation, block)
  }
}

extension EmbeddedObject {
  /// Calls `block` on an actor, with the object as it is there, after each write transaction that
  /// set a property of it, and once when it is deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are wanted; nil or empty for all.
  ///   - actor: The actor on which to call. It is not kept alive.
  /// - Returns: A token, after the observer was registered. It must be kept as long as `block` is
  ///   to be called. If the task is cancelled or the object is gone, its observation has ended.
  public final func observe<A: Actor, T: EmbeddedObject>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths, onActor: actor, _isolation: _isolation, block)
  }

  /// Calls `block` on an actor as `observe(keyPaths:on:_:)` does, with typed key paths.
  ///
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public final func observe<A: Actor, T: EmbeddedObject>(
    keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths.map { _name(for: $0) }, onActor: actor, _isolation: _isolation, block)
  }
}
