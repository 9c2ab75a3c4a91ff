// SPDX-License-Identifier: Apache-2.0

// The constants of query strings: literals and arguments.

import Foundation
import RealmQuery
import RealmSession
import RealmStorage

extension QueryBinder {
  /// A constant as the program knows it.
  ///
  /// - Parameter other: what it is compared with, which decides how exact a number must be.
  func value(_ operand: ParsedOperand, beside other: ParsedOperand? = nil) throws -> Any {
    switch operand {
    case .null: return Any?.none as Any
    case .bool(let truth): return truth
    case .integer(let number): return Int(number)
    case .number(let number): return number
    case .longNumber(let digits): return try number(digits, beside: other)
    case .string(let text): return text
    case .time(let seconds, let nanoseconds):
      // A `Date` is not that exact.
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    case .objectId(let digits):
      do { return try ObjectId(string: digits) } catch {
        throw QueryMistake("Invalid predicate: 'oid(\(digits))' is no object id")
      }
    case .uuid(let text):
      guard let value = UUID(uuidString: text) else {
        throw QueryMistake("Invalid predicate: 'uuid(\(text))' is no UUID")
      }
      return value
    case .base64(let text):
      guard let data = Data(base64Encoded: text) else {
        throw QueryMistake("Invalid predicate: 'B64\"\(text)\"' is not in base 64")
      }
      return data
    case .object(let name, let key): return try object(name, key)
    case .region(let region): return try shape(region)
    case .argument(let number):
      guard number < arguments.count else { throw QueryBinder.missing(number, of: arguments) }
      return QueryBinder.plain(arguments[number])
    case .list(let elements): return try elements.map { try value($0, beside: other) }
    case .keyPath, .matchCount, .arithmetic:
      throw QueryMistake("Predicate expressions must compare a keypath and a value.")
    }
  }

  static func missing(_ number: Int, of arguments: [Any]) -> QueryMistake {
    QueryMistake(
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
  private func number(_ digits: String, beside other: ParsedOperand?) throws -> Any {
    if case .keyPath(let path) = other, let type = try paths.type(path),
      [.decimal128, .any].contains(type), let decimal = try? Decimal128(string: digits)
    {
      return decimal
    }
    return Double(digits) ?? .nan
  }

  /// The values of a list, or of a collection among the arguments.
  func values(_ operand: ParsedOperand, beside other: ParsedOperand) throws -> [Any] {
    guard let values = try listed(operand, beside: other) else {
      throw QueryMistake("Predicate with IN operator must compare a KeyPath with an aggregate")
    }
    return values
  }

  /// The two values of a range.
  func ends(
    _ operand: ParsedOperand, beside other: ParsedOperand
  ) throws -> (lower: Any, upper: Any)? {
    guard let ends = try listed(operand, beside: other), ends.count == 2 else { return nil }
    return (ends[0], ends[1])
  }

  private func listed(_ operand: ParsedOperand, beside other: ParsedOperand) throws -> [Any]? {
    guard let elements = enumerable(try value(operand, beside: other)) else { return nil }
    func all<S: Sequence>(_ sequence: S) throws -> [Any] {
      try sequence.map { try fitting(QueryBinder.plain($0 as Any), beside: other) }
    }
    return try all(elements)
  }

  /// The object of a class with that primary key. A missing one is one of no realm, which equals
  /// nothing.
  private func object(_ name: String, _ key: ParsedOperand) throws -> Any {
    guard let core else {
      throw QueryMistake("Invalid predicate: 'obj(\(name), …)' needs a realm")
    }
    guard let schema = core.schema(named: name) else {
      throw QueryMistake("Invalid predicate: there is no class '\(name)'")
    }
    let value = try value(key)
    guard let primaryKey = schema.primaryKey else {
      throw QueryMistake("'\(name)' does not have a primary key defined")
    }
    guard primaryKey.wrapperType.accepts(value) else {
      throw QueryMistake(
        "Invalid value '\(unwrapped(value) ?? "(null)")' for the primary key "
          + "'\(name).\(primaryKey.name)'"
      )
    }
    return Realm(core: core).dynamicObject(ofType: name, forPrimaryKey: value) ?? Object()
  }

  /// A link to objects of one class cannot be compared with an object of another.
  private func checkClass(of object: ObjectBase, beside parsed: ParsedKeyPath) throws {
    // What stands for an object that is missing has no class.
    if type(of: object) == Object.self { return }
    let (path, target) = try paths.resolve(parsed)
    let name = object._schema.className
    guard let target, target.className != name else { return }
    throw QueryMistake(
      "Cannot compare value '\(name)' of type '\(name)' to property "
        + "'\(path.names.isEmpty ? "self" : path.names.joined(separator: "."))' of type "
        + "'\(target.className)'")
  }

  /// The value as the other side needs it: 0 and 1 are also what a Bool can be, bytes can be
  /// written as a text, and the types of values have several names.
  func fitting(_ value: Any, beside other: ParsedOperand?) throws -> Any {
    guard case .keyPath(let path) = other else { return value }
    if let object = modelObject(value) { try checkClass(of: object, beside: path) }
    switch value {
    case let number as Int where number == 0 || number == 1:
      return try paths.type(path) == .bool ? number == 1 : value
    case let text as String:
      let resolved = try paths.path(path)
      if resolved.lastParts.last == .type { return QueryBinder.typeName(text) }
      return try paths.type(path) == .data ? Data(text.utf8) : value
    default: return value
    }
  }
}
