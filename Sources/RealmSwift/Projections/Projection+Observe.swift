// SPDX-License-Identifier: Apache-2.0

// Observing projections.

public import Dispatch

extension ProjectionObservable {
  /// Calls `block` after each write transaction that set a property which the projection shows,
  /// even to the value it had, and once when the object is deleted.
  ///
  /// `block` is called where the realm lives; never before this call returns. Properties are told
  /// by their names in the projection; those that are reached through one property of the object
  /// are told together.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the projection whose changes are wanted; nil or empty for all.
  ///   - queue: A serial queue to be called on instead, with the projection as it is known there.
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let paths = Self.rootPaths(keyPaths)
    return observed(on: queue, orElse: observationOfUnmanagedObjectText) {
      $0.observeHere($1, paths, block)
    }
  }

  /// Calls `block` as `observe(keyPaths:on:_:)` does, with typed key paths.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let paths = keyPaths.isEmpty ? Self.rootPaths(nil) : keyPaths.map { _name(for: $0) }
    return observed(on: queue, orElse: observationOfUnmanagedObjectText) {
      $0.observeHere($1, paths, block)
    }
  }

  /// Calls `block` on an actor, with the projection as it is there, after each write transaction
  /// that set a property which the projection shows, and once when the object is deleted.
  ///
  /// - Returns: A token, after the observer was registered. It must be kept as long as `block` is
  ///   to be called.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    let paths = Self.rootPaths(keyPaths)
    return await observed(on: actor) { projection, core, actor in
      projection.observeHere(core, paths, actor.calling(block))
    }
  }

  /// Calls `block` on an actor as `observe(keyPaths:on:_:)` does, with typed key paths.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Self>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    let paths = keyPaths.isEmpty ? Self.rootPaths(nil) : keyPaths.map { _name(for: $0) }
    return await observed(on: actor) { projection, core, actor in
      projection.observeHere(core, paths, actor.calling(block))
    }
  }

  /// The key paths of the object behind properties of the projection.
  static func rootPaths(_ names: [String]?) -> [String] {
    ProjectionSchema.of(self).properties(named: names).map(\.path)
  }

  private func observeHere(
    _ core: RealmCore, _ paths: [String], _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> Observation {
    let properties = ProjectionSchema.of(Self.self).properties.filter { paths.contains($0.path) }
    return rootObject.observeHere(core, paths) { [self] (change: ObjectChange<Root>) in
      switch change {
      case .change(let root, let changes):
        let own = changes.flatMap { change in
          properties.filter { $0.firstName == change.name }.map { $0.change(for: change, of: root) }
        }
        if !own.isEmpty { block(.change(self, own)) }
      case .deleted: block(.deleted)
      case .error(let error): block(.error(error))
      }
    }
  }
}

extension ProjectionSchema.Property {
  /// The change of the property that a change of the object's property is.
  fileprivate func change(for change: PropertyChange, of root: ObjectBase) -> PropertyChange {
    if isDirect {
      return PropertyChange(name: name, oldValue: change.oldValue, newValue: change.newValue)
    }
    let value = value(root)
    return PropertyChange(
      name: name, oldValue: nil, newValue: value is any ProjectedElementsOwner ? nil : value)
  }
}

/// A property of a projection that was set.
public typealias ProjectedPropertyChange = PropertyChange

/// What is said to who observes an object that no realm manages.
let observationOfUnmanagedObjectText =
  "Only objects which are managed by a Realm support change notifications"
