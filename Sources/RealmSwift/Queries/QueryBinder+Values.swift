// SPDX-License-Identifier: Apache-2.0

// The constants of query strings: literals and arguments.

import Foundation
import RealmQuery
import RealmStorage

extension QueryBinder {
  /// A constant as the program knows it.
  func value(_ operand: ParsedOperand) -> Any {
    switch operand {
    case .null: return Any?.none as Any
    case .bool(let truth): return truth
    case .integer(let number): return Int(number)
    case .number(let number): return number
    case .string(let text): return text
    case .time(let seconds, let nanoseconds):
      return Date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    case .objectId(let digits):
      do { return try ObjectId(string: digits) } catch {
        throwRealmException("Invalid predicate: 'oid(\(digits))' is no object id")
      }
    case .uuid(let text):
      guard let value = UUID(uuidString: text) else {
        throwRealmException("Invalid predicate: 'uuid(\(text))' is no UUID")
      }
      return value
    case .base64(let text):
      guard let data = Data(base64Encoded: text) else {
        throwRealmException("Invalid predicate: 'B64\"\(text)\"' is not in base 64")
      }
      return data
    case .object(let name, let key): return object(name, key)
    case .region(let region): return shape(region)
    case .argument(let number):
      guard number < arguments.count else {
        throwRealmException(
          "Invalid predicate: argument \(number + 1) is missing; there are \(arguments.count)")
      }
      return arguments[number]
    case .list(let elements): return elements.map(value)
    case .keyPath, .matchCount, .arithmetic:
      throwRealmException("Predicate expressions must compare a keypath and a value.")
    }
  }

  /// The values of a list, or of a collection among the arguments.
  func values(_ operand: ParsedOperand, beside other: ParsedOperand) -> [Any] {
    let whole = value(operand)
    guard !(whole is String), let elements = unwrapped(whole) as? any Sequence else {
      throwRealmException("Predicate with IN operator must compare a KeyPath with an aggregate")
    }
    func all<S: Sequence>(_ sequence: S) -> [Any] {
      sequence.map { fitting($0 as Any, beside: other) }
    }
    return all(elements)
  }

  /// The object of a class with that primary key. A missing one is one of no realm, which equals
  /// nothing.
  private func object(_ name: String, _ key: ParsedOperand) -> Any {
    guard core.schema(named: name) != nil else {
      throwRealmException("Invalid predicate: there is no class '\(name)'")
    }
    return Realm(core: core).dynamicObject(ofType: name, forPrimaryKey: value(key)) ?? Object()
  }

  /// The value as the other side needs it: 0 and 1 are also what a Bool can be, bytes can be
  /// written as a text, and the types of values have several names.
  func fitting(_ value: Any, beside other: ParsedOperand?) -> Any {
    guard case .keyPath(let path) = other else { return value }
    switch value {
    case let number as Int where number == 0 || number == 1:
      return paths.type(path) == .bool ? number == 1 : value
    case let text as String:
      let resolved = paths.path(path)
      if resolved.lastParts.last == .type { return QueryBinder.typeName(text) }
      return paths.type(path) == .data ? Data(text.utf8) : value
    default: return value
    }
  }

  /// The name that the engine has for a type.
  private static func typeName(_ name: String) -> String {
    switch name.lowercased() {
    case "integer": "int"
    case "boolean": "bool"
    case "binary": "data"
    case "timestamp": "date"
    case "decimal": "decimal128"
    case "objectid", "object id": "objectId"
    case "link", "typedlink": "object"
    case "array": "list"
    case "nil": "null"
    default: name.lowercased()
    }
  }

  /// A comparison with the name that stands for all types of numbers.
  func typeTest(
    _ path: QueryNode, _ operation: ComparisonOperator, _ name: QueryNode
  ) -> QueryNode? {
    guard case .path(let typed) = path, typed.lastParts.last == .type,
      case .constant(let name as String) = name, name == "numeric"
    else { return nil }
    let isNumber = QueryNode.oneOf(path, ["int", "float", "double", "decimal128"])
    return operation == .notEqual ? .not(isNumber) : isNumber
  }
}
