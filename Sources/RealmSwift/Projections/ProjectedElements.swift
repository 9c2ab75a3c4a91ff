// SPDX-License-Identifier: Apache-2.0

// The storage of `ProjectedCollection`, in which the type of the underlying collection is erased.

import Foundation
import RealmSession

/// Finds the same property of the same collection elsewhere.
typealias ProjectedElementsFinder<Value> =
  (_ConfinedDefinition, Realm) -> (any AnyProjectedElements<Value>)?

/// One property of the objects of a collection of any type.
protocol AnyProjectedElements<Value>: AnyObject {
  associatedtype Value: RealmCollectionValue

  var count: Int { get }
  var realm: Realm? { get }
  var isInvalidated: Bool { get }
  var isFrozen: Bool { get }
  var definition: _ConfinedDefinition { get }

  func value(at position: Int) -> Value
  func set(_ value: Value, at position: Int)
  func freeze() -> any AnyProjectedElements<Value>
  func thaw() -> (any AnyProjectedElements<Value>)?
  func index(matching predicate: NSPredicate) -> Int?
  func isSame(as other: any AnyProjectedElements<Value>) -> Bool
  func observe(
    _ core: RealmCore, _ keyPaths: [String]?, _ block: @escaping (ObservedChange) -> Void
  ) -> Observation
}

/// One property of the objects of a collection of type `C`.
final class ProjectedElements<C: RealmCollection, Value: RealmCollectionValue>:
  AnyProjectedElements
where C.Element: ObjectBase {
  private let collection: C
  private let keyPath: KeyPath<C.Element, Value>

  init(_ collection: C, _ keyPath: KeyPath<C.Element, Value>) {
    self.collection = collection
    self.keyPath = keyPath
  }

  var count: Int { collection.count }
  var realm: Realm? { collection.realm }
  var isInvalidated: Bool { collection.isInvalidated }
  var isFrozen: Bool { collection.isFrozen }

  var definition: _ConfinedDefinition {
    var definition = collection._definition
    let keyPath = keyPath
    let finder: ProjectedElementsFinder<Value> = { definition, realm in
      C._local(definition, in: realm).map { ProjectedElements($0, keyPath) }
    }
    definition.context = UnsafeTransfer(finder)
    return definition
  }

  func value(at position: Int) -> Value { collection[position][keyPath: keyPath] }

  func set(_ value: Value, at position: Int) {
    guard let keyPath = keyPath as? ReferenceWritableKeyPath<C.Element, Value> else {
      throwRealmException("KeyPath is not writable")
    }
    collection[position][keyPath: keyPath] = value
  }

  func freeze() -> any AnyProjectedElements<Value> {
    ProjectedElements(collection.freeze(), keyPath)
  }

  func thaw() -> (any AnyProjectedElements<Value>)? {
    collection.thaw().map { ProjectedElements($0, keyPath) }
  }

  func index(matching predicate: NSPredicate) -> Int? {
    collection.index(matching: predicate)
  }

  func isSame(as other: any AnyProjectedElements<Value>) -> Bool {
    guard let other = other as? ProjectedElements else { return false }
    return collection == other.collection && keyPath == other.keyPath
  }

  func observe(
    _ core: RealmCore, _ keyPaths: [String]?, _ block: @escaping (ObservedChange) -> Void
  ) -> Observation {
    let state = collection._resultsSource.state
    return core.observe(
      collection._definition.locator, keyPaths: keyPaths ?? [_name(for: keyPath)],
      Observation.Handler { change, _ in
        state.willReport(change)
        block(change)
      })
  }
}
