// SPDX-License-Identifier: Apache-2.0

// Observation of projections by callbacks: where the realm lives, on a queue or on an actor.

public import Dispatch
import Foundation
import RealmSession
import RealmStorage
import RealmTables

extension ProjectionObservable {
  /// Calls `block` after each write transaction that set a property which the projection shows,
  /// even to the value it had, and once when the object is deleted.
  ///
  /// `block` is called where the realm lives; never before this call returns. Properties are
  /// reported by their names in the projection, with the values that it shows, which are live for
  /// collections; those that are reached through one property of the object are reported together.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the projected object whose changes are wanted; nil or empty
  ///     for all that the projection shows.
  ///   - queue: A serial queue to be called on instead, with the projection as it is known there.
  ///   - block: Gets the change.
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let paths = schema.observedPaths(keyPaths)
    return observed(on: queue, orElse: observationOfUnmanagedObjectText) {
      $0.observeHere($1, paths, block)
    }
  }

  /// Calls `block` as `observe(keyPaths:on:_:)` does, with typed key paths.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let paths = keyPaths.isEmpty ? schema.observedPaths(nil) : keyPaths.map { _name(for: $0) }
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
    let paths = schema.observedPaths(keyPaths)
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
    let paths = keyPaths.isEmpty ? schema.observedPaths(nil) : keyPaths.map { _name(for: $0) }
    return await observed(on: actor) { projection, core, actor in
      projection.observeHere(core, paths, actor.calling(block))
    }
  }

  /// The properties of the class that the projection is an instance of, whatever class the caller
  /// knows it as: `Self` is the class that the compiler knows, which depends on its optimizer.
  private var schema: ProjectionSchema { ProjectionSchema.of(type(of: self)) }

  private func observeHere(
    _ core: RealmCore, _ paths: [String], _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> Observation {
    guard let info = rootObject._info else {
      throwRealmException(observationOfUnmanagedObjectText)
    }
    let shown = schema.properties.filter { $0.isAskedFor(by: paths) }
    let root = rootObject
    let filePath = core.file.path
    return unsafe core.observe(
      .object(ObjectLocator(table: info.tableKey, object: root._key)), keyPaths: paths,
      Observation.Handler(
        valuesBefore: { columns in
          root.revive(info)
          let names = info.propertyNames(columns)
          return shown.map { names.contains($0.firstName) ? $0.value(root) : nil }
        }
      ) { [self] change, before in
        root.revive(info)
        let change = ObjectChange<Self>(change, filePath) { columns in
          let names = info.propertyNames(columns)
          let changes = shown.enumerated().compactMap { index, property in
            names.contains(property.firstName)
              ? PropertyChange(
                name: property.name, oldValue: before?[index], newValue: property.value(root)) : nil
          }
          return changes.isEmpty ? nil : .change(self, changes)
        }
        if let change { block(change) }
      })
  }
}

extension ClassInfo {
  /// The names of the properties that are stored in some columns.
  fileprivate func propertyNames(_ columns: [ColumnKey]) -> Set<Substring> {
    Set(columns.compactMap { property(of: $0).map { Substring($0.name) } })
  }
}

extension ProjectionSchema {
  /// The key paths of the projected object to observe: all that the projection shows if none are
  /// named.
  func observedPaths(_ names: [String]?) -> [String] {
    names.flatMap { $0.isEmpty ? nil : $0 } ?? properties.map(\.path)
  }
}

extension ProjectionSchema.Property {
  /// Whether the path of the property, a prefix or an extension of it is among some key paths.
  fileprivate func isAskedFor(by paths: [String]) -> Bool {
    paths.contains { asked in
      asked == path || path.hasPrefix(asked + ".") || asked.hasPrefix(path + ".")
    }
  }
}

/// A property of a projection that was set.
public typealias ProjectedPropertyChange = PropertyChange
