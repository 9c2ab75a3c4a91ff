// SPDX-License-Identifier: Apache-2.0

// `MutableSet`: the type of to-many properties without an order of their own and without
// duplicates.

import Foundation
import RealmSession
import RealmTables

/// An unordered collection of distinct scalars or links to objects, as the type of a property.
///
/// ```swift
/// class Article: Object {
///   @Persisted var tags: MutableSet<String>
/// }
/// try realm.write { article.tags.insert("news") }
/// ```
///
/// A set of a managed object always shows the present state, and can be changed in write
/// transactions only. Its elements have positions, which any change may move: scalars ascend,
/// objects are in the order of their creation.
///
/// Strings and data with equal bytes are different elements; numbers of different types that are
/// equal are one element of a set of `AnyRealmValue` that a realm manages.
public final class MutableSet<Element: RealmCollectionValue> {
  /// The elements while the set belongs to no realm.
  private var unmanaged = UnmanagedSet<Element>()
  /// The set in the database, once it belongs to a realm.
  private(set) var managed: ManagedCollection?
  /// The object and property that a recording set represents.
  private var recording: _Recording?
  /// Whether the set is read to find the name of a key path.
  var isRecording: Bool { recording != nil }

  /// Creates an empty set that belongs to no realm.
  public init() {}

  init(managed: ManagedCollection) { self.managed = managed }

  init(recording: _Recording) { self.recording = recording }

  /// Makes the collection of a field without `@Persisted` one that records key paths.
  func becomeRecording(_ recording: _Recording?) { self.recording = recording }

  init(elements: [Element]) { for element in elements { unmanaged.insert(element) } }

  /// Binds a set that belonged to no realm to one of a realm, with the same elements.
  func becomeManaged(_ set: ManagedCollection) {
    managed = set
    unmanaged = UnmanagedSet()
  }

  // MARK: Reading

  /// The number of elements.
  public var count: Int {
    if let managed { return managed.contents().count }
    guard let recording else { return unmanaged.elements.count }
    recording.recorder.reach(self)
    return 1
  }

  /// The element that is at `position` at present.
  public subscript(position: Int) -> Element {
    if let managed {
      let contents = managed.contents()
      return contents.checkedElement(at: position, as: Element.self)
    }
    if let recording {
      recording.recorder.reach(self)
      return Element._tracedElement(by: recording)
    }
    if position < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
    let count = unmanaged.elements.count
    if position >= count {
      IndexText.refuse(position, below: count, of: "\(Self.self)", count: count)
    }
    return unmanaged.elements[position]
  }

  /// Iterates over the elements; in a write transaction, over those present when it begins.
  public func makeIterator() -> RLMIterator<Element> {
    if let managed { return RLMIterator(managed.contents()) }
    return RLMIterator(unmanaged.elements)
  }

  /// Whether the set has an element that is equal to `element`.
  ///
  /// Traps for an object of another realm.
  ///
  /// - Complexity: O(log n) for a set that a realm manages.
  public func contains(_ element: Element) -> Bool {
    guard let managed else { return unmanaged.contains(element) }
    return managed.contents().hasSetElement(element)
  }

  /// Whether all elements are elements of `other` too.
  public func isSubset(of other: MutableSet) -> Bool {
    requireSameRealm(as: other)
    return count <= other.count && allSatisfy(other.contains)
  }

  /// Whether some element is an element of `other` too.
  public func intersects(_ other: MutableSet) -> Bool {
    requireSameRealm(as: other)
    return contains(where: other.contains)
  }

  /// Traps: elements of a set have no meaningful position.
  public func index(of element: Element) -> Int? {
    throwRealmException("index(of:) is not available on MutableSet")
  }

  /// The set as the source of results.
  public var _resultsSource: _ResultsSource { requireManaged().source }

  /// The elements of the set as stored values.
  public var _contents: _CollectionContents { requireManaged().contents() }

  // MARK: Changing

  /// Adds an element, unless the set has an equal one. Unmanaged objects are added to the realm.
  public func insert(_ element: Element) { insert(objectsIn: CollectionOfOne(element)) }

  /// Adds elements that the set does not have yet.
  public func insert<S: Sequence>(objectsIn sequence: S) where S.Element == Element {
    // Copied first: `sequence` may be this set.
    let elements = Array(sequence)
    guard let managed else {
      for element in elements { unmanaged.insert(element) }
      return
    }
    managed.requireWrite()
    let context = managed.encoding
    let values = elements.map { Element._encode($0, context).value }
    managed.edit(try managed.setEditor.insert(contentsOf: values))
  }

  /// Removes an element, if the set has it. An object stays in the realm.
  public func remove(_ element: Element) { remove([element]) }

  /// Removes all elements. Objects stay in the realm.
  public func removeAll() {
    guard let managed else { return unmanaged = UnmanagedSet() }
    managed.requireWrite()
    managed.edit(try managed.setEditor.removeAll())
  }

  /// Removes the elements that `other` does not have.
  public func formIntersection(_ other: MutableSet) {
    requireSameRealm(as: other)
    remove(Array(self).filter { !other.contains($0) })
  }

  /// Removes the elements that `other` has.
  public func subtract(_ other: MutableSet) {
    requireSameRealm(as: other)
    remove(Array(self).filter(other.contains))
  }

  /// Adds the elements that `other` has.
  public func formUnion(_ other: MutableSet) {
    requireSameRealm(as: other)
    insert(objectsIn: other)
  }

  private func remove(_ elements: [Element]) {
    guard let managed else {
      for element in elements { unmanaged.remove(element) }
      return
    }
    let contents = managed.requireWrite()
    let values = elements.compactMap(contents.knownValue)
    managed.edit(try managed.setEditor.remove(contentsOf: values))
  }

  private func requireSameRealm(as other: MutableSet) {
    guard let first = managed?.core, let second = other.managed?.core, first !== second else {
      return
    }
    throwRealmException("Cannot insersect sets managed by different Realms.")
  }
}

extension MutableSet: RealmCollection {
  /// The realm that the set belongs to, or nil.
  public var realm: Realm? { managed.map { Realm(core: $0.core) } }

  /// Whether the object that has the set was deleted, or the realm invalidated.
  public var isInvalidated: Bool { managed.map { !$0.isValid } ?? false }

  /// Whether both are the same set, or, if no realm has them, hold equal elements.
  public static func == (left: MutableSet, right: MutableSet) -> Bool {
    if let leftSet = left.managed, let rightSet = right.managed {
      return leftSet.isSame(as: rightSet)
    }
    return left.managed == nil && right.managed == nil && left.unmanaged == right.unmanaged
  }
}
