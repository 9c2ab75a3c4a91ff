// SPDX-License-Identifier: Apache-2.0

// Observation of objects by callbacks: where the realm lives or on a queue.

public import Dispatch
import Foundation
import RealmSession
import RealmStorage
import RealmTables

extension ObjectBase {
  /// Calls `block` after each write transaction that set a property of the object, even to the
  /// value it had, and once when the object is deleted.
  ///
  /// Changes of linked objects are reported only if key paths lead there. `block` is called on the
  /// main actor, queue or actor of the realm, or by the run loop of its thread; never before this
  /// call returns.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are wanted; nil or empty for all.
  ///   - queue: A serial queue to be called on instead, with the object as it is known there.
  ///   - block: Gets the change.
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public final func observe<T: ObjectBase>(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observed(on: queue, orElse: observationOfUnmanagedObjectText) {
      $0.observeHere($1, keyPaths, block)
    }
  }

  /// Calls `block` as `observe(keyPaths:on:_:)` does, with typed key paths.
  ///
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public final func observe<T: ObjectBase>(
    keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Registers an observer on an actor.
  final func observe<A: Actor, T: ObjectBase>(
    _ keyPaths: [String]?, onActor actor: A, _isolation: isolated (any Actor)?,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) async -> NotificationToken {
    _ = requireManaged()
    return await observed(on: actor) { object, core, actor in
      object.observeHere(core, keyPaths, actor.calling(block))
    }
  }

  final func requireManaged() -> RealmCore {
    guard let core = realm?.core else { throwRealmException(observationOfUnmanagedObjectText) }
    return core
  }

  /// Registers an observer that is called where this realm lives.
  final func observeHere<T: ObjectBase>(
    _ core: RealmCore, _ keyPaths: [String]?, _ block: @escaping (ObjectChange<T>) -> Void
  ) -> Observation {
    guard let object = self as? T, let info = _info else {
      throwRealmException("An object of class '\(Self.className())' is no \(T.className())")
    }
    let path = core.file.path
    return unsafe core.observe(
      .object(ObjectLocator(table: info.tableKey, object: _key)), keyPaths: keyPaths,
      Observation.Handler(
        valuesBefore: { columns in
          object.revive(info)
          return object.valuesToReport(columns, info)
        }
      ) { change, before in
        object.revive(info)
        let change = ObjectChange<T>(change, path) {
          .change(object, object.propertyChanges($0, before, info))
        }
        if let change { block(change) }
      })
  }

  /// Makes an object usable again after its realm was invalidated, for its observers, which live
  /// on.
  final func revive(_ info: ClassInfo) {
    guard unsafe _generation < info.core.firstValidGeneration, unsafe !info.core.isFrozen else {
      return
    }
    unsafe _row = nil
    unsafe _generation = info.core.firstValidGeneration
  }

  /// The present values of the properties in some columns.
  final func valuesToReport(_ columns: [ColumnKey], _ info: ClassInfo) -> [Any?] {
    columns.map { column in info.property(of: column).flatMap { valueToReport($0) } }
  }

  /// The property changes to report for changed columns.
  final func propertyChanges(
    _ columns: [ColumnKey], _ before: [Any?]?, _ info: ClassInfo
  ) -> [PropertyChange] {
    var changes: [PropertyChange] = []
    for (position, column) in columns.enumerated() {
      // Columns that the program's class does not have are not reported to it.
      guard let property = info.property(of: column) else { continue }
      changes.append(
        PropertyChange(
          name: property.name, oldValue: before?[position],
          newValue: valueToReport(property)))
    }
    return changes
  }

  /// The value of a property; nil for null and for collections.
  private final func valueToReport(_ property: ModelProperty) -> Any? {
    guard property.shape.collection == .none, property.shape.type != .linkingObjects else {
      return nil
    }
    return unwrapped(_value(of: property))
  }
}

extension ClassInfo {
  func property(of column: ColumnKey) -> ModelProperty? {
    if let index = columns.firstIndex(where: { $0?.key == column }) {
      return schema.properties[index]
    }
    return schema.properties.first { property in
      property.shape.type == .linkingObjects && (try? followed(property))?.column == column
    }
  }
}
