// SPDX-License-Identifier: Apache-2.0

// `ProjectedCollection`: the values of one property of all objects of a collection, live.

public import Dispatch
public import Foundation
import RealmQuery
import RealmSession
import RealmStorage

/// The values of one property of the objects in a list or set, in their order.
///
/// ```swift
/// let names = person.dogs.projectTo.name
/// print(names[0])
/// try realm.write { names[0] = "Rex" }
/// ```
///
/// It is live, as the underlying collection is. Setting an element sets the property of its object.
public struct ProjectedCollection<Value: RealmCollectionValue> {
  private let elements: any AnyProjectedElements<Value>

  init(_ elements: any AnyProjectedElements<Value>) { self.elements = elements }

  /// The number of objects.
  public var count: Int { elements.count }

  /// The value of the property of the object at `position`. Setting it traps outside of a write
  /// transaction, and if the key path is not writable.
  public subscript(position: Int) -> Value {
    get { elements.value(at: position) }
    nonmutating set { elements.set(newValue, at: position) }
  }

  /// The position of the first object whose property is `element`; nil if there is none.
  public func index(of element: Value) -> Int? { firstIndex(of: element) }

  /// The position of the first object that matches a predicate; nil if there is none.
  public func index(matching predicate: NSPredicate) -> Int? {
    elements.index(matching: predicate)
  }

  /// The position of the first object that matches a query string; nil if there is none.
  public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
    elements.index(matching: NSPredicate(format: predicateFormat, argumentArray: args))
  }
}

extension ProjectedCollection: RandomAccessCollection, Equatable, CustomStringConvertible {
  /// The position of the first object: 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { count }

  /// Whether both show the same property of the same collection.
  public static func == (left: ProjectedCollection, right: ProjectedCollection) -> Bool {
    left.elements.isSame(as: right.elements)
  }

  /// The class and the values, at most 100 of them.
  public var description: String {
    let shown = 100
    var text = IndentedText()
    text.append("ProjectedCollection<\(Value.self)> \(addressText(elements)) (")
    text.list(skipping: count - shown) { text in
      for (index, element) in prefix(shown).enumerated() {
        text.startElement("[\(index)] ")
        ObjectBase.describe(element, to: &text, depth: 1)
      }
    }
    return text.text
  }
}

extension ProjectedCollection: ThreadConfined {
  /// The realm of the objects, or nil.
  public var realm: Realm? { elements.realm }

  /// Whether the underlying collection can no longer be used.
  public var isInvalidated: Bool { elements.isInvalidated }

  /// Whether the underlying collection is frozen. This property may be read on any thread.
  public var isFrozen: Bool { elements.isFrozen }

  /// The values of the same property in the frozen collection.
  public func freeze() -> ProjectedCollection { ProjectedCollection(elements.freeze()) }

  /// The values of the same property in the live collection that a frozen one is a copy of; nil if
  /// its object was deleted.
  public func thaw() -> ProjectedCollection? { elements.thaw().map { ProjectedCollection($0) } }

  /// The locator of the collection: its identity, independent of a realm.
  public var _definition: _ConfinedDefinition { elements.definition }

  /// The collection that `definition` describes, in `realm`; nil if its object does not exist
  /// there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    let finder = definition.context?.value as? ProjectedElementsFinder<Value>
    return finder?(definition, realm).map { Self($0) }
  }
}

// MARK: - Observing

extension ProjectedCollection {
  /// Calls `block` with the collection as it is, and again after each write transaction that added,
  /// removed or moved objects, or set their property.
  ///
  /// `block` is called where the realm lives; never before this call returns.
  ///
  /// - Parameters:
  ///   - keyPaths: Properties of the objects whose changes are wanted instead of the projected
  ///     one's.
  ///   - queue: A serial queue to be called on instead, with the collection as it is known there.
  ///   - block: Gets the collection as it is, or a change.
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
  ) -> NotificationToken {
    observed(on: queue) { $0.observeHere($1, keyPaths, block) }
  }

  /// Calls `block` on an actor, with the collection as it is there, and again after each write
  /// transaction that changed it.
  ///
  /// - Returns: A token, after the observer was registered. It must be kept as long as `block` is
  ///   to be called.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<ProjectedCollection>) -> Void
  ) async -> NotificationToken {
    await observed(on: actor) { collection, core, actor in
      collection.observeHere(core, keyPaths, actor.calling(block))
    }
  }

  private func observeHere(
    _ core: RealmCore, _ keyPaths: [String]?,
    _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
  ) -> Observation {
    let path = core.file.path
    return elements.observe(core, keyPaths) { block(.init($0, of: self, path)) }
  }
}
