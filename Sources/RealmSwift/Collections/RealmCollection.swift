// SPDX-License-Identifier: Apache-2.0

// The protocols of lists, sets, results and backlinks, and their default implementations.

public import Foundation
import RealmSession

/// Types that `Realm.objects(_:)` can read.
public protocol RealmFetchable: RealmCollectionValue {
  /// The name of the class.
  static func className() -> String
}

extension Object: RealmFetchable {}

/// A collection of values of the database.
public protocol RealmCollectionBase<Element>: RandomAccessCollection, LazyCollectionProtocol,
  CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue, Index == Int {}

/// A list, results, or the objects that link to another.
///
/// `map` and `filter` with a closure are lazy, as those of the standard library's lazy collections.
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable
where Iterator == RLMIterator<Element> {
  /// The position of an element that is equal to `element`; nil if there is none.
  func index(of element: Element) -> Int?

  /// The elements of the collection as stored values.
  var _contents: _CollectionContents { get }

  /// The source from which results are filtered and sorted; traps if no realm manages the
  /// collection.
  var _resultsSource: _ResultsSource { get }
}

extension RealmCollectionBase {
  /// The type of the elements.
  public typealias ElementType = Element
}

extension RealmCollection {
  /// The position of the first element: 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { count }

  /// The position after `index`.
  public func index(after index: Int) -> Int { index + 1 }

  /// The position preceding `index`.
  public func index(before index: Int) -> Int { index - 1 }

  /// The position `distance` after `index`.
  public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }

  /// The distance from `start` to `end`.
  public func distance(from start: Int, to end: Int) -> Int { end - start }

  /// Whether there is no element.
  public var isEmpty: Bool { count == 0 }

  /// The first element, or nil if there is none.
  public var first: Element? { isEmpty ? nil : self[0] }

  /// The last element, or nil if there is none.
  public var last: Element? {
    let count = count
    return count == 0 ? nil : self[count - 1]
  }

  /// The elements at `indexes`.
  public func objects(at indexes: IndexSet) -> [Element] {
    if let last = indexes.max(), last >= count {
      let missing = IndexText.missing(last, of: "\(Self.self)", count)
      throwRealmException("Indexes for collection are out of bounds. \(missing)")
    }
    return indexes.map { self[$0] }
  }

  /// The type, the memory address, and the elements, at most 100 of them.
  public var description: String { _description(limit: 100) }

  func _description(limit: Int) -> String {
    var text = IndentedText()
    describe(to: &text, depth: 0, limit: limit)
    return text.text
  }

  /// Appends the class and at most `limit` elements.
  func describe(to text: inout IndentedText, depth: Int, limit: Int) {
    let count = count
    text.append("\(descriptionHead(of: self, holding: [Element.self])) (")
    text.list(skipping: count - limit) { text in
      for position in 0..<Swift.min(count, limit) {
        text.startElement("[\(position)] ")
        ObjectBase.describe(self[position], to: &text, depth: depth)
      }
    }
  }
}
