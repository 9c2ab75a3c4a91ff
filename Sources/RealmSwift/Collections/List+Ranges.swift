// SPDX-License-Identifier: Apache-2.0

// Changes of several elements of a list: by ranges and by index sets.

public import Foundation
import RealmSession

extension List {
  /// The elements of a range, which stay those of the list. Setting them replaces the range by
  /// others, whose number may differ.
  public subscript(bounds: Range<Int>) -> Slice<List> {
    get { Slice(base: self, bounds: bounds) }
    set {
      // Changes of elements in place have changed the list already.
      if newValue.base === self, newValue.startIndex == bounds.lowerBound,
        newValue.endIndex == bounds.upperBound
      {
        return
      }
      replaceSubrange(bounds, with: newValue)
    }
  }

  /// Removes the first `number` elements.
  public func removeFirst(_ number: Int = 1) {
    checkRemoval(of: number)
    for _ in 0..<number { remove(at: 0) }
  }

  /// Removes the last `number` elements.
  public func removeLast(_ number: Int = 1) {
    checkRemoval(of: number)
    for _ in 0..<number { remove(at: count - 1) }
  }

  /// Removes the elements of a range.
  public func removeSubrange<R: RangeExpression>(_ bounds: R) where R.Bound == Int {
    replaceSubrange(bounds, with: EmptyCollection())
  }

  /// Replaces the elements of a range by others, whose number may differ.
  public func replaceSubrange<C: Collection, R: RangeExpression>(
    _ subrange: R, with newElements: C
  ) where C.Element == Element, R.Bound == Int {
    // Copied first: the new elements may be of this list.
    let added = Array(newElements)
    let range = subrange.relative(to: 0..<count)
    for index in range.reversed() { remove(at: index) }
    insert(contentsOf: added, at: range.lowerBound)
  }

  /// Removes the elements at `offsets`.
  public func remove(atOffsets offsets: IndexSet) {
    for index in offsets.reversed() { remove(at: index) }
  }

  /// Moves the elements at `offsets` so that they precede the element at `destination`.
  public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
    var target = destination
    for (moved, index) in offsets.filter({ $0 < destination }).reversed().enumerated() {
      move(from: index, to: destination - 1 - moved)
      target = destination
    }
    for index in offsets where index >= destination {
      move(from: index, to: target)
      target += 1
    }
  }

  private func checkRemoval(of number: Int) {
    let count = count
    if number < 0 || number > count {
      throwRealmException(
        "It is not possible to remove more objects (\(number)) from a list than it already "
          + "contains (\(count)).")
    }
  }
}
