// SPDX-License-Identifier: Apache-2.0

// Live results: all objects of a class, and what is filtered or sorted from them.

import RealmSession
import RealmTables

/// The objects of a class, or those that a query selects. Results always show the present state of
/// their realm, and are computed when they are first read.
///
/// ```swift
/// let open = realm.objects(Todo.self).where { !$0.isDone }.sorted(byKeyPath: "name")
/// ```
public struct Results<Element: RealmCollectionValue> {
  let state: ResultsState

  init(_ state: ResultsState) { self.state = state }

  /// The number of elements.
  public var count: Int { state.count }

  /// Element `position`.
  public subscript(position: Int) -> Element {
    let contents = state.contents()
    return contents.checkedElement(at: position, as: Element.self)
  }

  /// Iterates over the elements; in a write transaction over those of the present state.
  public func makeIterator() -> RLMIterator<Element> { RLMIterator(state.contents()) }

  /// The position of an element that is equal to `element`; nil if there is none.
  public func index(of element: Element) -> Int? { state.contents().index(of: element) }

  /// The stored elements.
  public var _contents: _CollectionContents { state.contents() }

  /// The results as the source of others.
  public var _resultsSource: _ResultsSource { _ResultsSource(state) }

  /// The first element, or nil if there is none.
  ///
  /// Searching it in filtered results that were not computed yet stops at the first match.
  public var first: Element? {
    guard let info = state.info else { return isEmpty ? nil : self[0] }
    guard let (key, row) = state.first() else { return nil }
    return Element._wrapsObject
      ? Element._decode(_StoredValue(.link(key)), _RealmContext(state.core, info))
      : info.makeElement(key, row)
  }
}

extension Results: RealmCollection {
  /// The realm of the elements.
  public var realm: Realm? { Realm(core: state.core) }

  /// Whether the realm was invalidated, or, for results of values, the object deleted that had
  /// them.
  ///
  /// Results of objects have no elements after the list, set, map or backlinks that they are of are
  /// gone, and can still be used.
  public var isInvalidated: Bool { state.isInvalidated }

  /// Whether both are the same results, or copies of them.
  public static func == (left: Results, right: Results) -> Bool { left.state === right.state }
}

extension Results {
  /// The definition of the results, independent of a realm.
  public var _definition: _ConfinedDefinition {
    _ConfinedDefinition(state.definition, isGone: state.isGone)
  }

  /// The results that `definition` describes, in `realm`; nil if they cannot exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    // In a live realm, results of objects are empty where the object is gone that has them. In a
    // frozen one it is only missing if it is newer than that, and nothing must be made up.
    let isOfObjects = definition.locator.elementTable != nil
    return ResultsState.local(
      definition.locator, in: realm.core, of: Element.self,
      orGone: definition.isGone || (isOfObjects && !realm.core.isFrozen)
    ).map { Self($0) }
  }
}
