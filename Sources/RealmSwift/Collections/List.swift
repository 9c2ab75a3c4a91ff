// SPDX-License-Identifier: Apache-2.0

// `List`: the type of ordered to-many properties, managed by a realm or not.

import Foundation
import RealmSession
import RealmTables

/// An ordered collection of scalars or of links to objects: the type of to-many properties.
///
/// ```swift
/// class Person: Object {
///   @Persisted var dogs: List<Dog>
/// }
/// try realm.write { person.dogs.append(Dog(value: ["name": "Rex"])) }
/// ```
///
/// A list of a managed object always shows the present state, and can be changed in write
/// transactions only.
public final class List<Element: RealmCollectionValue> {
  /// The elements while the list belongs to no realm.
  private var unmanaged: [Element] = []
  /// The list in the database, once it belongs to a realm.
  private(set) var managed: ManagedCollection?
  /// The object and property that a recording list represents.
  private var recording: _Recording?
  /// Whether the list is read to find the name of a key path.
  var isRecording: Bool { recording != nil }

  /// Creates an empty list that belongs to no realm.
  public init() {}

  init(managed: ManagedCollection) { self.managed = managed }

  init(recording: _Recording) { self.recording = recording }

  /// Makes the collection of a field without `@Persisted` one that records key paths.
  func becomeRecording(_ recording: _Recording?) { self.recording = recording }

  init(elements: [Element]) { unmanaged = elements }

  /// Binds a list that belonged to no realm to one of a realm, with the same elements.
  func becomeManaged(_ list: ManagedCollection) {
    managed = list
    unmanaged = []
  }

  // MARK: Reading

  /// The number of elements.
  public var count: Int {
    if let managed { return managed.contents().count }
    guard let recording else { return unmanaged.count }
    recording.recorder.reach(self)
    return 1
  }

  /// The element at `position`. Setting it replaces the element.
  public subscript(position: Int) -> Element {
    get {
      if let managed {
        let contents = managed.contents()
        return contents.checkedElement(at: position, as: Element.self)
      }
      if let recording {
        recording.recorder.reach(self)
        return Element._tracedElement(by: recording)
      }
      checkUnmanaged(position, below: unmanaged.count)
      return unmanaged[position]
    }
    set { replace(index: position, object: newValue) }
  }

  /// Iterates over the elements; in a write transaction, over those present when it begins.
  public func makeIterator() -> RLMIterator<Element> {
    if let managed { return RLMIterator(managed.contents()) }
    return RLMIterator(unmanaged)
  }

  /// The position of an element that is equal to `element`; nil if there is none.
  public func index(of element: Element) -> Int? {
    guard let managed else { return unmanaged.firstIndex(of: element) }
    return managed.contents().index(of: element)
  }

  /// The list as the source of results.
  public var _resultsSource: _ResultsSource { requireManaged().source }

  /// The elements of the list as stored values.
  public var _contents: _CollectionContents { requireManaged().contents() }

  // MARK: Changing

  /// Adds an element at the end. Unmanaged objects are added to the realm.
  public func append(_ element: Element) { insert(element, at: count) }

  /// Adds elements at the end.
  public func append<S: Sequence>(objectsIn sequence: S) where S.Element == Element {
    // Copied first: `sequence` may be this list.
    insert(contentsOf: Array(sequence), at: count)
  }

  /// Adds an element so that it has position `index`.
  public func insert(_ element: Element, at index: Int) {
    guard let managed else {
      checkUnmanaged(index, below: unmanaged.count + 1)
      unmanaged.insert(element, at: index)
      return
    }
    managed.requireWrite().checkInsertion(index)
    let value = encoded(element, managed)
    managed.edit(try managed.listEditor.insert(value, at: index))
  }

  /// Adds elements so that the first of them has position `index`.
  public func insert<C: Collection>(contentsOf collection: C, at index: Int)
  where C.Element == Element {
    guard let managed else {
      checkUnmanaged(index, below: unmanaged.count + 1)
      unmanaged.insert(contentsOf: collection, at: index)
      return
    }
    managed.requireWrite().checkInsertion(index)
    let values = Array(collection).map { encoded($0, managed) }
    managed.edit(try managed.listEditor.insert(contentsOf: values, at: index))
  }

  /// Replaces element `index`.
  public func replace(index: Int, object: Element) {
    guard let managed else {
      checkUnmanaged(index, below: unmanaged.count)
      unmanaged[index] = object
      return
    }
    managed.requireWrite().check(index)
    let value = encoded(object, managed)
    managed.edit(try managed.listEditor.set(value, at: index))
  }

  /// Removes element `index`. An object stays in the realm.
  public func remove(at index: Int) {
    guard let managed else {
      checkUnmanaged(index, below: unmanaged.count)
      unmanaged.remove(at: index)
      return
    }
    managed.requireWrite().check(index)
    managed.edit(try managed.listEditor.remove(at: index))
  }

  /// Removes all elements. Objects stay in the realm.
  public func removeAll() {
    guard let managed else { return unmanaged.removeAll() }
    managed.requireWrite()
    managed.edit(try managed.listEditor.removeAll())
  }

  /// Moves an element, so that it has position `to` afterwards.
  public func move(from: Int, to: Int) {
    guard let managed else {
      checkUnmanaged(from, below: unmanaged.count)
      checkUnmanaged(to, below: unmanaged.count)
      unmanaged.insert(unmanaged.remove(at: from), at: to)
      return
    }
    let contents = managed.requireWrite()
    contents.check(from)
    contents.check(to)
    managed.edit(try managed.listEditor.move(from: from, to: to))
  }

  /// Exchanges two elements.
  public func swapAt(_ first: Int, _ second: Int) {
    guard let managed else {
      checkUnmanaged(first, below: unmanaged.count)
      checkUnmanaged(second, below: unmanaged.count)
      return unmanaged.swapAt(first, second)
    }
    let contents = managed.requireWrite()
    contents.check(first)
    contents.check(second)
    managed.edit(try managed.listEditor.swap(first, second))
  }

  private func encoded(_ element: Element, _ managed: ManagedCollection) -> TableValue {
    Element._encode(element, managed.encoding).value
  }

  private func checkUnmanaged(_ index: Int, below limit: Int) {
    if index < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
    if index >= limit {
      IndexText.refuse(index, below: limit, of: "\(Self.self)", count: unmanaged.count)
    }
  }
}

extension List: RealmCollection, MutableCollection {
  /// The realm that the list belongs to, or nil.
  public var realm: Realm? { managed.map { Realm(core: $0.core) } }

  /// Whether the object that has the list was deleted, or the realm invalidated.
  public var isInvalidated: Bool { managed.map { !$0.isValid } ?? false }

  /// Whether both are the same list, or, if no realm has them, hold equal elements.
  public static func == (left: List, right: List) -> Bool {
    if let leftList = left.managed, let rightList = right.managed {
      return leftList.isSame(as: rightList)
    }
    return left.managed == nil && right.managed == nil && left.unmanaged == right.unmanaged
  }
}
