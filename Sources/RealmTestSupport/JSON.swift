// SPDX-License-Identifier: Apache-2.0

// JSON of the fixtures' expected contents, which is compared by the meaning of its values.

import RealmFormats

/// A JSON value.
package enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  /// A name and its value; objects keep the order of the source.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: JSON

    package init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// Parses one JSON document.
  package init(parsing bytes: [UInt8]) throws { self.init(try JSONParser.parse(bytes)) }

  private init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map { JSON($0) })
    case .object(let members):
      self = .object(members.map { Member($0.key, JSON($0.value)) })
    }
  }

  /// The member with that name; nil if there is none or this is not an object.
  package subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The elements; empty if this is not an array.
  package var elements: [JSON] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  package var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  package var number: Int64? {
    guard case .integer(let number) = self else { return nil }
    return number
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

// MARK: - Comparing

extension JSON {
  /// The differences between an expected and an actual value, at most `limit` lines, each with its
  /// path.
  ///
  /// Members are compared by name in any order. Decimals (`string`, `high`, `low`) are equal if
  /// their bits are; numbers are equal if they denote one double, or the float that was read.
  package static func differences(
    expected: JSON, actual: JSON, limit: Int = 20
  ) -> [String] {
    var found: [String] = []
    collect(expected, actual, path: "", limit, &found)
    return found
  }

  private static func collect(
    _ expected: JSON, _ actual: JSON, path: @autoclosure () -> String, _ limit: Int,
    _ found: inout [String]
  ) {
    guard found.count < limit else { return }
    switch (expected, actual) {
    case (.object(let left), .object(let right)):
      if let high = expected["high"], let low = expected["low"], expected["string"] != nil {
        if actual["high"] == high, actual["low"] == low { return }
        return found.append("\(path()): expected \(expected), found \(actual)")
      }
      for member in left {
        guard let other = actual[member.name] else {
          found.append("\(path())/\(member.name): missing")
          continue
        }
        collect(member.value, other, path: "\(path())/\(member.name)", limit, &found)
      }
      for member in right where expected[member.name] == nil {
        found.append("\(path())/\(member.name): not expected")
      }
    case (.array(let left), .array(let right)):
      if left.count != right.count {
        return found.append("\(path()): expected \(left.count) elements, found \(right.count)")
      }
      for index in left.indices {
        collect(left[index], right[index], path: "\(path())[\(index)]", limit, &found)
      }
    default:
      if !isSame(expected, actual) {
        found.append("\(path()): expected \(expected), found \(actual)")
      }
    }
  }

  private static func isSame(_ expected: JSON, _ actual: JSON) -> Bool {
    if expected == actual { return true }
    guard case .real(let read) = actual else { return false }
    let written: Double
    switch expected {
    case .real(let value): written = value
    case .integer(let value): written = Double(value)
    default: return false
    }
    if written.bitPattern == read.bitPattern { return true }
    // A float is written with the nine digits that restore the float, not its double.
    return Float(written).bitPattern == Float(read).bitPattern && Double(Float(read)) == read
  }
}
