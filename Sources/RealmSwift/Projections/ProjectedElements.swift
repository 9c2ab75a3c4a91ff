// SPDX-License-Identifier: Apache-2.0

// The storage of `ProjectedCollection`, in which the type of the underlying collection is erased.

import Foundation
import RealmSession

/// One property of the objects of a collection, whose type only the subclass knows.
class AnyProjectedElements<Value: RealmCollectionValue> {
  /// Finds the same property of the same collection elsewhere.
  typealias Finder = (_ConfinedDefinition, Realm) -> AnyProjectedElements?

  var count: Int { preconditionFailure("the subclass knows") }
  var realm: Realm? { preconditionFailure("the subclass knows") }
  var isInvalidated: Bool { preconditionFailure("the subclass knows") }
  var isFrozen: Bool { preconditionFailure("the subclass knows") }
  var definition: _ConfinedDefinition { preconditionFailure("the subclass knows") }

  func value(at position: Int) -> Value { preconditionFailure("the subclass knows") }
  func set(_ value: Value, at position: Int) { preconditionFailure("the subclass knows") }
  func freeze() -> AnyProjectedElements { preconditionFailure("the subclass knows") }
  func thaw() -> AnyProjectedElements? { preconditionFailure("the subclass knows") }
  func index(matching predicate: NSPredicate) -> Int? { preconditionFailure("the subclass knows") }
  func isSame(as other: AnyProjectedElements) -> Bool { preconditionFailure("the subclass knows") }
  func observe(
    _ core: RealmCore, _ keyPaths: [String]?, _ block: @escaping (ObservedChange) -> Void
  ) -> Observation { preconditionFailure("the subclass knows") }
}

/// One property of the objects of a collection of type `C`.
final class ProjectedElements<C: RealmCollection, Value: RealmCollectionValue>:
  AnyProjectedElements<Value>
where C.Element: ObjectBase {
  private let collection: C
  private let keyPath: KeyPath<C.Element, Value>

  init(_ collection: C, _ keyPath: KeyPath<C.Element, Value>) {
    self.collection = collection
    self.keyPath = keyPath
  }

  override var count: Int { collection.count }
  override var realm: Realm? { collection.realm }
  override var isInvalidated: Bool { collection.isInvalidated }
  override var isFrozen: Bool { collection.isFrozen }

  override var definition: _ConfinedDefinition {
    var definition = collection._definition
    let keyPath = keyPath
    let finder: AnyProjectedElements<Value>.Finder = { definition, realm in
      C._local(definition, in: realm).map { ProjectedElements($0, keyPath) }
    }
    definition.context = UnsafeTransfer(finder)
    return definition
  }

  override func value(at position: Int) -> Value { collection[position][keyPath: keyPath] }

  override func set(_ value: Value, at position: Int) {
    guard let keyPath = keyPath as? ReferenceWritableKeyPath<C.Element, Value> else {
      throwRealmException("KeyPath is not writable")
    }
    collection[position][keyPath: keyPath] = value
  }

  override func freeze() -> AnyProjectedElements<Value> {
    ProjectedElements(collection.freeze(), keyPath)
  }

  override func thaw() -> AnyProjectedElements<Value>? {
    collection.thaw().map { ProjectedElements($0, keyPath) }
  }

  override func index(matching predicate: NSPredicate) -> Int? {
    collection.index(matching: predicate)
  }

  override func isSame(as other: AnyProjectedElements<Value>) -> Bool {
    guard let other = other as? ProjectedElements else { return false }
    return collection == other.collection && keyPath == other.keyPath
  }

  override func observe(
    _ core: RealmCore, _ keyPaths: [String]?, _ block: @escaping (ObservedChange) -> Void
  ) -> Observation {
    core.observe(
      collection._definition.locator, keyPaths: keyPaths ?? [_name(for: keyPath)],
      Observation.Handler { change, _ in block(change) })
  }
}
