// SPDX-License-Identifier: Apache-2.0

// Messages about positions that a collection does not have.

import RealmSession

/// Messages about positions.
enum IndexText {
  /// Traps with the documented message for an index that is not below `limit`, and says what the
  /// collection has.
  ///
  /// - Parameters:
  ///   - name: The collection: its type, or its kind and property.
  ///   - count: The number of its elements.
  @inline(never)
  static func refuse(_ index: Int, below limit: Int, of name: String, count: Int) -> Never {
    throwRealmException(
      "Index \(index) is out of bounds (must be less than \(limit)). \(countText(name, count))")
  }

  /// What a collection has instead of an element at `index`.
  static func missing(_ index: Int, of name: String, _ count: Int) -> String {
    "There is no element \(index): \(countText(name, count))"
  }

  private static func countText(_ name: String, _ count: Int) -> String {
    switch count {
    case 0: "\(name) is empty."
    case 1: "\(name) has one element, at 0."
    default: "\(name) has \(count) elements, at 0 to \(count - 1)."
    }
  }
}

extension _PropertyShape.Collection {
  /// The type of Swift that such properties have.
  var typeName: String {
    switch self {
    case .none, .list: "List"
    case .set: "MutableSet"
    case .map: "Map"
    }
  }
}
