// SPDX-License-Identifier: Apache-2.0

// JSON values of Swift's literals and of optional values.

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .string(text) }
  package init(integerLiteral number: Int64) { self = .integer(number) }
  package init(booleanLiteral flag: Bool) { self = .bool(flag) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// An object whose members keep the order of the literal.
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { JSONMember($0, $1) })
  }

  /// A string, or null.
  package init(_ text: String?) { self = text.map { .string($0) } ?? .null }

  /// An integer, or null.
  package init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
}
