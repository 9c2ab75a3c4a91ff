// SPDX-License-Identifier: Apache-2.0

// The types that a value of a file can have.
//
// A million rows have millions of texts, and nearly each is either a plain number or certainly
// nothing but a text. Its bytes tell which; the other texts are tried with the functions that read
// their types.

#if Tools
import RealmFormats
import RealmQuery
import RealmTables

/// The types of properties that can hold a value.
struct TextTypes: OptionSet {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  static let int = TextTypes(rawValue: 1)
  static let double = TextTypes(rawValue: 2)
  static let bool = TextTypes(rawValue: 4)
  static let timestamp = TextTypes(rawValue: 8)
  static let uuid = TextTypes(rawValue: 16)
  static let string = TextTypes(rawValue: 32)
  static let mixed = TextTypes(rawValue: 64)
  static let decimal = TextTypes(rawValue: 128)
  static let objectId = TextTypes(rawValue: 256)
  static let binary = TextTypes(rawValue: 512)
  static let float = TextTypes(rawValue: 1024)
  static let all = TextTypes(rawValue: .max)

  /// The types that a text can spell, in the order in which they are preferred.
  static let spelled: [(type: ColumnType, member: TextTypes)] = [
    (.int, .int), (.double, .double), (.bool, .bool), (.timestamp, .timestamp), (.uuid, .uuid),
  ]

  /// The types that only a value with its type has, or a number beside such values, in the order in
  /// which they are preferred.
  private static let typed: [(type: ColumnType, member: TextTypes)] = [
    (.decimal, .decimal), (.objectId, .objectId), (.binary, .binary), (.float, .float),
  ]

  /// The narrowest of the types.
  var narrowest: ColumnType {
    Self.spelled.first { contains($0.member) }?.type
      ?? Self.typed.first { contains($0.member) }?.type
      ?? (contains(.string) ? .string : .mixed)
  }

  // MARK: Values

  /// - Parameter isText: Whether texts stand for values of other types, as in CSV; otherwise for
  ///   those that JSON has not.
  init(_ value: JSONValue, isText: Bool) {
    switch value {
    case .null, .array: self = .mixed
    case .object: self.init(typed: value)
    case .bool: self = [.bool, .mixed]
    case .integer: self = [.int, .double, .decimal, .mixed]
    case .double: self = [.double, .decimal, .mixed]
    case .string(let text):
      self = [.string, .mixed]
      for (type, member) in Self.spelled
      where (isText || member == .timestamp || member == .uuid) && Self.isSpelled(text, type) {
        insert(member)
      }
    }
  }

  /// The types of an object, which may be a value with its type.
  private init(typed value: JSONValue) {
    switch try? TypedJSON.value(value) {
    case .int: self = [.int, .double, .decimal, .mixed]
    case .double: self = [.double, .decimal, .mixed]
    case .float: self = [.float, .mixed]
    case .decimal: self = [.decimal, .mixed]
    case .timestamp: self = [.timestamp, .mixed]
    case .objectId: self = [.objectId, .mixed]
    case .uuid: self = [.uuid, .mixed]
    case .binary: self = [.binary, .mixed]
    case .string: self = [.string, .mixed]
    default: self = .mixed
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
    case .timestamp:
      let hasForm = text.utf8.count >= 10 || text.utf8.count >= 8 && text.contains(".")
      return hasForm && DateText.date(text) != nil
    default: return ValueText.file.value(text, of: type) != nil
    }
  }

  // MARK: Bytes

  /// The types of a text that is UTF-8: those of the string.
  init(_ bytes: [UInt8], _ range: Range<Int>, isText: Bool) {
    if isText, let shape = NumberText.shape(bytes, from: range.lowerBound, to: range.upperBound),
      shape.end == range.upperBound, !shape.isWhole || shape.integer != nil
    {
      self =
        shape.hasLeadingZero
        ? [.string, .mixed]
        : shape.isWhole ? [.int, .double, .string, .mixed] : [.double, .string, .mixed]
    } else if isText, Self.isWord(bytes, range, Self.yes) || Self.isWord(bytes, range, Self.no) {
      self = [.bool, .string, .mixed]
    } else if Self.hasFormOfDate(bytes, range),
      DateText.date(String(decoding: bytes[range], as: UTF8.self)) != nil
    {
      self = [.timestamp, .string, .mixed]
    } else if Self.isMaybeSpelled(bytes, range, isText: isText) {
      self.init(.string(String(decoding: bytes[range], as: UTF8.self)), isText: isText)
    } else {
      self = [.string, .mixed]
    }
  }

  private static let yes = Array("true".utf8)
  private static let no = Array("false".utf8)

  private static func isWord(_ bytes: [UInt8], _ range: Range<Int>, _ word: [UInt8]) -> Bool {
    range.count == word.count && bytes[range].elementsEqual(word)
  }

  /// Whether a text begins with a year and a hyphen, with a day and a dot, or with `T` as the
  /// seconds of a date do.
  private static func hasFormOfDate(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    guard range.count >= 8 else { return false }
    let first = range.lowerBound
    let dot = UInt8(ascii: ".")
    guard bytes[first] ^ 0x30 < 10 else {
      return range.count >= 10 && bytes[first] == UInt8(ascii: "T")
    }
    return range.count >= 10 && bytes[first + 4] == UInt8(ascii: "-")
      || bytes[first + 1] == dot || bytes[first + 2] == dot
  }

  /// Whether a text that is no date could be a value of another type, by its length and a few of
  /// its bytes.
  private static func isMaybeSpelled(
    _ bytes: [UInt8], _ range: Range<Int>, isText: Bool
  ) -> Bool {
    guard let first = range.first else { return false }
    let count = range.count
    let byte = bytes[first]
    if count == 36, bytes[first + 8] == UInt8(ascii: "-") { return true }
    guard isText else { return false }
    if byte ^ 0x30 < 10 || byte == UInt8(ascii: "-") {
      return bytes[range].allSatisfy { mayBeInNumber($0) }
    }
    return (count == 4 || count == 5) && (byte | 0x20 == 0x74 || byte | 0x20 == 0x66)
  }

  /// Whether a byte may be part of a number in any notation that the library reads.
  private static func mayBeInNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "+"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "p"),
      UInt8(ascii: "P"):
      true
    default: false
    }
  }
}
#endif
