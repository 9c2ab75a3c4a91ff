// SPDX-License-Identifier: Apache-2.0

// A JSON value as messages and documents carry it.

/// A JSON value. Objects keep the order of their members; whole numbers that fit are integers.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])

  /// The value of a key, that of the last member if there are several, nil for other values.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    // A loop: the search of the standard library takes several times as long in a debug build.
    var index = members.count
    while index > 0 {
      index -= 1
      if members[index].key == key { return members[index].value }
    }
    return nil
  }

  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  package var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Self.integer(number)
    default: nil
    }
  }

  /// The integer of a whole number, without the rounding functions of the C library, with which
  /// this module does not link.
  private static func integer(_ number: Double) -> Int64? {
    guard number.magnitude < 0x1p63 else { return nil }
    let integer = Int64(number)
    return Double(integer) == number ? integer : nil
  }

  /// The integer, if it is not below zero.
  package var unsigned: UInt64? { integer.flatMap { UInt64(exactly: $0) } }

  package var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The value of a number in JSON's spelling; nil if its shape does not give it.
  package init?(_ shape: NumberText.Shape) {
    // An integer has no zero below zero.
    if let integer = shape.integer, integer != 0 || !shape.isNegative {
      self = .integer(integer)
      return
    }
    guard !shape.isWhole || shape.integer == 0, let double = shape.double else { return nil }
    self = .double(double)
  }
}
