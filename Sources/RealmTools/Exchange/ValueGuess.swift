// SPDX-License-Identifier: Apache-2.0

// The common type of a property's values.

import RealmDeclarations
import RealmFormats
import RealmQuery
package import RealmTables

/// The narrowest type for all values of an imported property.
package struct ValueGuess: Sendable {
  private static let texts: [ColumnType] = [.int, .double, .bool, .timestamp, .uuid]

  private var candidates: Set<ColumnType>?
  private var valueCount = 0
  /// For each of `texts` the values of other types: their number, and the line of the first.
  private var contradictions = [(count: Int, line: Int)](
    repeating: (0, 0), count: texts.count)
  private var hasNull = false
  private var arrays = 0
  private var others = 0

  package init() {}

  /// Takes a value into account.
  mutating func add(_ value: JSONValue, isText: Bool, line: Int) {
    switch value {
    case .null: hasNull = true
    case .array(let values):
      arrays += 1
      for value in values { narrow(value, isText: isText, line: line) }
    default:
      others += 1
      narrow(value, isText: isText, line: line)
    }
  }

  private mutating func narrow(_ value: JSONValue, isText: Bool, line: Int) {
    let types = Self.types(of: value, isText: isText)
    valueCount += 1
    for (index, type) in Self.texts.enumerated() where !types.contains(type) {
      if contradictions[index].count == 0 { contradictions[index].line = line }
      contradictions[index].count += 1
    }
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
      return isPlain && !hasZero && ValueText.file.value(text, of: type) != nil
    case .bool: return text.lowercased() == "true" || text.lowercased() == "false"
    case .timestamp: return text.utf8.count >= 10 && DateText.date(text) != nil
    default: return ValueText.file.value(text, of: type) != nil
    }
  }

  /// The reason against a type of most values; nil if there is none.
  func contradiction(to chosen: ColumnType) -> String? {
    guard chosen == .string || chosen == .mixed,
      let (type, found) =
        zip(Self.texts, contradictions).min(by: { $0.1.count < $1.1.count }),
      found.count > 0, found.count * 2 < valueCount
    else { return nil }
    return "\(found.count) of \(Self.grouped(valueCount)) are no \(SchemaJSON.typeName(type)), "
      + "first at line \(found.line)"
  }

  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text = "," + text }
      text = String(digit) + text
    }
    return text
  }

  /// The type, and whether values may be missing.
  package var result: (type: ColumnType, isList: Bool, isNullable: Bool) {
    let order: [ColumnType] = [.int, .double, .bool, .timestamp, .uuid, .string]
    let isList = arrays > 0 && others == 0
    // A property with lists among its values holds values of any type.
    guard arrays == 0 || isList else { return (.mixed, false, true) }
    guard let candidates else { return (isList ? .mixed : .string, isList, true) }
    let type = order.first(where: candidates.contains) ?? .mixed
    return (type, isList, isList ? false : hasNull || type == .mixed)
  }
}
