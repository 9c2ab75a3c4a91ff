// SPDX-License-Identifier: Apache-2.0

// `AnyRealmCollection`: the type-erased form of lists, sets, results and backlinks. It keeps the
// collection itself, so every call goes on to it.

import RealmSession
import RealmTables

/// A type-erased collection: a list, a set, results or backlinks, of which the type names only the
/// element.
///
/// ```swift
/// func show(_ todos: AnyRealmCollection<Todo>) { … }
/// show(AnyRealmCollection(project.todos))
/// show(AnyRealmCollection(realm.objects(Todo.self)))
/// ```
public struct AnyRealmCollection<Element: RealmCollectionValue> {
  let base: any RealmCollection<Element>

  /// Wraps `base` and erases its type.
  public init<C: RealmCollection>(_ base: C) where C.Element == Element {
    self.base = (base as? AnyRealmCollection)?.base ?? base
  }

  private init(erasing base: any RealmCollection<Element>) { self.base = base }

  /// The number of elements.
  public var count: Int { base.count }

  /// The element at `position`.
  public subscript(position: Int) -> Element { base[position] }

  /// Iterates over the elements; in a write transaction, over those present when it begins.
  public func makeIterator() -> RLMIterator<Element> { base.makeIterator() }

  /// The position of an element that is equal to `element`; nil if there is none.
  public func index(of element: Element) -> Int? { base.index(of: element) }

  /// The elements of the collection as stored values.
  public var _contents: _CollectionContents { base._contents }

  /// The collection as the source of results.
  public var _resultsSource: _ResultsSource { base._resultsSource }
}

extension AnyRealmCollection: RealmCollection {
  /// The realm of the collection, or nil.
  public var realm: Realm? { base.realm }

  /// Whether the collection can no longer be used.
  public var isInvalidated: Bool { base.isInvalidated }

  /// The class of the collection and the elements, at most 100 of them.
  public var description: String { base.description }

  /// Whether both wrap the same collection.
  public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
    isEqual(left.base, right.base)
  }

  private static func isEqual<C: RealmCollection>(_ left: C, _ right: any RealmCollection) -> Bool {
    (right as? C).map { $0 == left } ?? false
  }
}

// MARK: - Freezing and handing over

extension AnyRealmCollection {
  /// Whether the collection is frozen: it shows one version permanently and may be read on any
  /// thread.
  public var isFrozen: Bool { base.isFrozen }

  /// The collection as it is now, immutable, and readable on any thread, without copying anything.
  public func freeze() -> AnyRealmCollection { AnyRealmCollection(erasing: base.freeze()) }

  /// The live collection that a frozen one is a copy of, in the realm of the calling thread, queue
  /// or actor; nil if its object was deleted.
  public func thaw() -> AnyRealmCollection? { base.thaw().map { AnyRealmCollection(erasing: $0) } }

  /// The locator of the collection: its identity, independent of a realm.
  public var _definition: _ConfinedDefinition { base._definition }

  /// The collection that `definition` describes, in `realm`; nil if its object does not exist
  /// there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    guard case .list(let list) = definition.locator else {
      return Results._local(definition, in: realm).map { Self(erasing: $0) }
    }
    switch list.column.collection {
    case .list: return List<Element>._local(definition, in: realm).map { Self(erasing: $0) }
    case .set: return MutableSet<Element>._local(definition, in: realm).map { Self(erasing: $0) }
    case .dictionary, .none:
      return Results<Element>._local(definition, in: realm).map { Self(erasing: $0) }
    }
  }
}
