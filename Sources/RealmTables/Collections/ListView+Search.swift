// SPDX-License-Identifier: Apache-2.0

// Finding an element of a set, whose elements ascend (file format 4.11).
//
// Two kinds of typed sets do not follow the order of values to the letter: a null decimal stands
// where the NaN stands that represents it, and floats may be out of order around NaN, where other
// writers left one. Ours stand last.

package import RealmStorage

extension ListView {
  /// Where a value is in a set, or would be inserted; among the stored elements, hidden ones too.
  struct Place {
    let index: Int
    let isFound: Bool
  }

  /// The position of `value` in a set; nil if the set does not have it.
  ///
  /// - Complexity: O(log n); O(n) in sets of floats for values that are not there.
  package func position(ofSetElement value: TableValue) throws(StorageError) -> Int? {
    let place = try place(of: value)
    guard place.isFound else { return nil }
    return column.type == .link
      ? try LinkKeys.visibleIndex(of: place.index, in: root, space) : place.index
  }

  /// Where `value` is in a set, or would be inserted.
  func place(of value: TableValue) throws(StorageError) -> Place {
    guard !root.isNull else { return Place(index: 0, isFound: false) }
    switch (column.type, value) {
    case (.link, .link(let key)):
      let index = try LinkKeys.lowerBound(key, in: root, space)
      guard index < storedCount else { return Place(index: index, isFound: false) }
      let found = try BTree<IntegerLeaf>.value(at: index, of: root, in: space)
      return Place(index: index, isFound: found == key.rawValue)
    case (.link, _): throw .typeMismatch(value)
    case (.float, _), (.double, _): return try placeOfFloat(value)
    case (.decimal, .null): return try bisect(for: .decimal(.nullPattern))
    default: return try bisect(for: value)
    }
  }

  private func bisect(for value: TableValue) throws(StorageError) -> Place {
    var low = 0
    var high = storedCount
    while low < high {
      let middle = (low + high) / 2
      let order = try order(ofStored: middle, against: value)
      if order == 0 { return Place(index: middle, isFound: true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return Place(index: low, isFound: false)
  }

  /// Negative, zero or positive as a stored element comes before, with or after `value`.
  private func order(ofStored index: Int, against value: TableValue) throws(StorageError) -> Int {
    var element = try mixedValue(atStored: index)
    if column.type == .decimal, case .null = element { element = .decimal(.nullPattern) }
    return value.withMixed { element.compare(to: $0) }
  }

  /// Reads each element: where one is NaN, those around it may be in any order.
  private func placeOfFloat(_ value: TableValue) throws(StorageError) -> Place {
    if !value.isNaN {
      let place = try bisect(for: value)
      if place.isFound { return place }
    }
    var index = value.isNaN ? storedCount : nil
    for position in 0..<storedCount {
      let element = try mixedValue(atStored: position)
      if element.isNaN {
        if value.isNaN { return Place(index: position, isFound: true) }
        if index == nil { index = position }
        continue
      }
      let order = value.isNaN ? -1 : value.withMixed { element.compare(to: $0) }
      if order == 0 { return Place(index: position, isFound: true) }
      if order > 0, index == nil { index = position }
    }
    return Place(index: index ?? storedCount, isFound: false)
  }
}

extension TableValue {
  /// Whether the value is a binary floating-point number that is no number.
  fileprivate var isNaN: Bool {
    switch self {
    case .float(let number): number.isNaN
    case .double(let number): number.isNaN
    default: false
    }
  }
}

extension MixedValue {
  /// Whether the value is a binary floating-point number that is no number.
  var isNaN: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value): value.isNaN
    default: false
    }
  }
}

extension DecimalBits {
  /// The NaN that represents null (file format 4.6).
  static var nullPattern: DecimalBits { DecimalBits(low: 0xAA, high: 0x7C00_0000_0000_0000) }
}
