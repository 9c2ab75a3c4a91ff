// SPDX-License-Identifier: Apache-2.0

// The type that the values of a property have in common.

import RealmSyncProtocol
package import RealmTables

/// The narrowest type that all values of an imported property fit.
package struct ValueGuess: Sendable {
  private static let texts: [ColumnType] = [.int, .double, .bool, .timestamp, .uuid]

  private var candidates: Set<ColumnType>?
  private var hasNull = false
  private var arrays = 0
  private var others = 0

  package init() {}

  /// Takes a value into account.
  mutating func add(_ value: JSONValue, isText: Bool) {
    switch value {
    case .null: hasNull = true
    case .array(let values):
      arrays += 1
      for value in values { narrow(value, isText: isText) }
    default:
      others += 1
      narrow(value, isText: isText)
    }
  }

  /// An object lacks the property.
  mutating func addMissing() { hasNull = true }

  private mutating func narrow(_ value: JSONValue, isText: Bool) {
    let types = Self.types(of: value, isText: isText)
    candidates = candidates?.intersection(types) ?? types
  }

  private static func types(of value: JSONValue, isText: Bool) -> Set<ColumnType> {
    switch value {
    case .null, .array, .object: return [.mixed]
    case .bool: return [.bool, .mixed]
    case .integer: return [.int, .double, .mixed]
    case .double: return [.double, .mixed]
    case .string(let text):
      var types: Set<ColumnType> = [.string, .mixed]
      for type in isText ? Self.texts : [.timestamp, .uuid] where isSpelled(text, type) {
        types.insert(type)
      }
      return types
    }
  }

  /// Whether a text is certainly meant as a value of the type.
  private static func isSpelled(_ text: String, _ type: ColumnType) -> Bool {
    switch type {
    case .int, .double:
      // Numbers of houses and telephones begin with zeros and pluses: they are texts.
      let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
      let isPlain = digits.first.map { $0.isASCII && $0.isNumber } ?? false
      let hasZero = digits.hasPrefix("0") && digits.dropFirst().first.map { $0.isNumber } ?? false
      return isPlain && !hasZero && ScalarText.value(text, of: type) != nil
    case .bool: return text.lowercased() == "true" || text.lowercased() == "false"
    case .timestamp: return text.utf8.count >= 10 && DateText.date(text) != nil
    default: return ScalarText.value(text, of: type) != nil
    }
  }

  /// The type, and whether values may be missing.
  package var result: (type: ColumnType, isList: Bool, isNullable: Bool) {
    let order: [ColumnType] = [.int, .double, .bool, .timestamp, .uuid, .string]
    let isList = arrays > 0 && others == 0
    // A property that is sometimes a list holds values of any type.
    guard arrays == 0 || isList else { return (.mixed, false, true) }
    guard let candidates else { return (isList ? .mixed : .string, isList, true) }
    let type = order.first(where: candidates.contains) ?? .mixed
    return (type, isList, isList ? false : hasNull || type == .mixed)
  }
}
