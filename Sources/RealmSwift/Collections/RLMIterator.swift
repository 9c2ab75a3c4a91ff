// SPDX-License-Identifier: Apache-2.0

// `RLMIterator`: the iterator of all collections of a realm.
//
// Invariants:
// 1. In a write transaction an iterator goes over a copy of the keys, so the loop may change or
//    delete what it visits. Outside of one, objects are walked cluster by cluster in the version
//    that the loop began with: if the realm advances meanwhile, they are found by key from then on.

import RealmSession

/// Iterates over the elements of a collection.
@safe
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
  /// The walk over objects; unmanaged, so that calling it costs no reference counting.
  @usableFromInline let walk: Unmanaged<ObjectWalk>?
  /// Keeps the walk alive.
  private let walkOwner: ObjectWalk?
  private let contents: _CollectionContents?
  private let elements: [Element]
  private var position = 0

  init(_ elements: [Element]) {
    self.elements = elements
    contents = nil
    unsafe walk = nil
    walkOwner = nil
  }

  init(_ contents: _CollectionContents) {
    elements = []
    walkOwner =
      Element.self is ObjectBase.Type
      ? contents.searching(try ObjectWalk.over(contents), else: nil) : nil
    self.contents =
      walkOwner == nil
      ? contents.searching(
        try contents.frozenForIteration(), else: .empty(contents.core, contents.info)) : nil
    unsafe walk = unsafe walkOwner.map(Unmanaged.passUnretained)
  }

  /// The next element, or nil at the end.
  @inlinable
  public mutating func next() -> Element? {
    // Walks are only made for collections whose elements are objects of the class of `Element`.
    if let walk = unsafe walk {
      return unsafe walk._withUnsafeGuaranteedRef {
        unsafe unsafeBitCast($0.next(), to: Element?.self)
      }
    }
    return nextElement()
  }

  @usableFromInline
  mutating func nextElement() -> Element? {
    if let contents {
      guard position < contents.count else { return nil }
      contents.core.checkIsolation()
      defer { position += 1 }
      return contents.element(at: position, as: Element.self)
    }
    guard position < elements.count else { return nil }
    defer { position += 1 }
    return elements[position]
  }
}
