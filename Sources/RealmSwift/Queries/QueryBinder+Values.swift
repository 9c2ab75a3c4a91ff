// SPDX-License-Identifier: Apache-2.0

// The constants of query strings: literals and arguments.

import Foundation
import RealmQuery
import RealmStorage

extension QueryBinder {
  /// A constant as the program knows it.
  ///
  /// - Parameter other: what it is compared with, which decides how exact a number must be.
  func value(_ operand: ParsedOperand, beside other: ParsedOperand? = nil) -> Any {
    switch operand {
    case .null: return Any?.none as Any
    case .bool(let truth): return truth
    case .integer(let number): return Int(number)
    case .number(let number): return number
    case .longNumber(let digits): return number(digits, beside: other)
    case .string(let text): return text
    case .time(let seconds, let nanoseconds):
      // A `Date` is not that exact.
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
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
      guard number < arguments.count else { QueryBinder.refuseMissing(number, of: arguments) }
      return QueryBinder.plain(arguments[number])
    case .list(let elements): return elements.map { value($0, beside: other) }
    case .keyPath, .matchCount, .arithmetic:
      throwRealmException("Predicate expressions must compare a keypath and a value.")
    }
  }

  static func refuseMissing(_ number: Int, of arguments: [Any]) -> Never {
    throwRealmException(
      "Invalid predicate: argument \(number + 1) is missing; there are \(arguments.count)")
  }

  /// An argument as a type that properties have: that of Swift for objects of Foundation, `Int` for
  /// other integers.
  static func plain(_ argument: Any) -> Any {
    switch swiftValue(argument) {
    case let text as Substring: String(text)
    case let number as any FixedWidthInteger & UnsignedInteger:
      Int(exactly: number) ?? Double(number)
    case let number as CGFloat: Double(number)
    case let number as Decimal: Decimal128(value: number)
    case let value: value
    }
  }

  /// A number that is exact only beside decimals and values of any type.
  private func number(_ digits: String, beside other: ParsedOperand?) -> Any {
    if case .keyPath(let path) = other, let type = paths.type(path),
      [.decimal128, .any].contains(type), let decimal = try? Decimal128(string: digits)
    {
      return decimal
    }
    return Double(digits) ?? .nan
  }

  /// The values of a list, or of a collection among the arguments.
  func values(_ operand: ParsedOperand, beside other: ParsedOperand) -> [Any] {
    guard let values = listed(operand, beside: other) else {
      throwRealmException("Predicate with IN operator must compare a KeyPath with an aggregate")
    }
    return values
  }

  /// The two values of a range.
  func ends(_ operand: ParsedOperand, beside other: ParsedOperand) -> (lower: Any, upper: Any)? {
    guard let ends = listed(operand, beside: other), ends.count == 2 else { return nil }
    return (ends[0], ends[1])
  }

  private func listed(_ operand: ParsedOperand, beside other: ParsedOperand) -> [Any]? {
    guard let elements = enumerable(value(operand, beside: other)) else { return nil }
    func all<S: Sequence>(_ sequence: S) -> [Any] {
      sequence.map { fitting(QueryBinder.plain($0 as Any), beside: other) }
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

  /// Ends the process if a link to objects of one class is compared with an object of another.
  private func checkClass(of object: ObjectBase, beside parsed: ParsedKeyPath) {
    // What stands for an object that is missing has no class.
    if type(of: object) == Object.self { return }
    let (path, target) = paths.resolve(parsed)
    let name = object._schema.className
    guard let target, target.className != name else { return }
    throwRealmException(
      "Cannot compare value '\(name)' of type '\(name)' to property "
        + "'\(path.names.isEmpty ? "self" : path.names.joined(separator: "."))' of type "
        + "'\(target.className)'")
  }

  /// The value as the other side needs it: 0 and 1 are also what a Bool can be, bytes can be
  /// written as a text, and the types of values have several names.
  func fitting(_ value: Any, beside other: ParsedOperand?) -> Any {
    guard case .keyPath(let path) = other else { return value }
    if let object = modelObject(value) { checkClass(of: object, beside: path) }
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
}
