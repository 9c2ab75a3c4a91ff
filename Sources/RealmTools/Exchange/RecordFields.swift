// SPDX-License-Identifier: Apache-2.0

// The properties of imported objects, by numbers.
//
// A reader looks a name up where it meets it first; from then on a cell has the number of its
// property, so that what depends on the property is found without its name.

#if Tools
/// The properties of the objects of one class in one reading of a source.
final class RecordFields {
  let className: String
  /// The names by their numbers, in the order in which they were met.
  private(set) var names: [String] = []
  /// The names as they are compared with bytes of a file.
  private var utf8: [[UInt8]] = []
  private var numbers: [String: Int] = [:]

  init(_ className: String) { self.className = className }

  /// The number of a name, which gets one if it has none.
  func number(of name: String) -> Int {
    if let number = numbers[name] { return number }
    let number = names.count
    names.append(name)
    utf8.append(Array(name.utf8))
    numbers[name] = number
    return number
  }

  /// The number of the name that a range of bytes is, which must be UTF-8.
  ///
  /// - Parameter expected: The likely number: objects mostly have the same properties in the same
  ///   order.
  func number(of bytes: [UInt8], _ range: Range<Int>, expected: Int) -> Int {
    if expected < utf8.count, Self.isEqual(utf8[expected], bytes, range) { return expected }
    return number(of: String(decoding: bytes[range], as: UTF8.self))
  }

  private static func isEqual(_ name: [UInt8], _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    guard name.count == range.count else { return false }
    for index in name.indices where name[index] != bytes[range.lowerBound + index] {
      return false
    }
    return true
  }
}

/// The properties of all classes in one reading of a source.
final class RecordClasses {
  private var fields: [String: RecordFields] = [:]

  /// The properties of a class.
  subscript(className: String) -> RecordFields {
    if let known = fields[className] { return known }
    let new = RecordFields(className)
    fields[className] = new
    return new
  }
}
#endif
