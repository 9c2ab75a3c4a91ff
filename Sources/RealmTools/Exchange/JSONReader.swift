// SPDX-License-Identifier: Apache-2.0

// Objects of JSON: one on each line, or the elements of one array.
//
// Most objects have plain members alone: numbers, words, and texts without escapes. Such an object
// is read in one pass over its bytes, without a value of its own for anything in it. Any other goes
// through `JSONParser`, which also says what is wrong with it.

#if Tools
import RealmDeclarations
import RealmFormats

/// Reads objects of JSON one at a time.
final class JSONReader {
  /// An object, the classes, or what is wrong, and the number of the line or of the element.
  typealias Row = (content: ImportRow.Content, number: Int)

  private let input: InputBytes
  private let source: String
  private let className: String?
  private let classes: RecordClasses
  private let record = ImportRecord(isText: false)
  /// The last class that was named, and its name as it is compared with bytes.
  private var named: (fields: RecordFields, utf8: [UInt8])?
  /// How many elements of an array were read; nil for lines.
  private var elementCount: Int?
  private var isAtEnd = false

  /// - Parameters:
  ///   - source: The name of the file in messages.
  ///   - isArray: Whether the objects are the elements of an array.
  ///   - className: The class of objects that name none.
  init(
    _ input: InputBytes, of source: String, isArray: Bool, className: String?,
    _ classes: RecordClasses
  ) {
    self.input = input
    self.source = source
    self.className = className
    self.classes = classes
    elementCount = isArray ? 0 : nil
  }

  /// Whether a file begins with an array.
  static func isArray(_ file: InputFile) throws(ToolFailure) -> Bool {
    var bytes = try file.bytes(at: 0, count: 4096)[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    return bytes.first { !isSpace($0) } == UInt8(ascii: "[")
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r")
  }

  /// The next row; nil at the end.
  ///
  /// - Throws: `ToolFailure` for an array that is none: no element after the defect can be found.
  func next() throws -> Row? { try elementCount == nil ? nextLine() : nextElement() }

  // MARK: Lines

  private func nextLine() throws(ToolFailure) -> Row? {
    while let range = try input.nextLine() {
      let line = input.line
      let bytes = input.bytes
      defer { input.passLine(range) }
      var end = range.upperBound
      if end > range.lowerBound, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      var start = range.lowerBound
      while start < end, bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\t") {
        start += 1
      }
      if start == end { continue }
      return (content(bytes, range.lowerBound..<end, line), line)
    }
    return nil
  }

  // MARK: Elements of an array

  private func nextElement() throws(ToolFailure) -> Row? {
    if isAtEnd { return nil }
    if elementCount == 0 {
      try peek("[")
      input.pass(to: input.position + 1)
      if try peek() == UInt8(ascii: "]") { return try end() }
    } else {
      if try peek() == UInt8(ascii: "]") { return try end() }
      guard try peek() == UInt8(ascii: ",") else { throw noJSON() }
      input.pass(to: input.position + 1)
      _ = try peek()
    }
    var range = input.position..<input.position
    while true {
      range = input.position..<input.position
      if let end = Self.endOfElement(input.bytes, from: input.position) {
        range = input.position..<end
        break
      }
      guard !input.isComplete else { throw noJSON() }
      try input.readMore()
    }
    guard !range.isEmpty else { throw noJSON() }
    let number = (elementCount ?? 0) + 1
    elementCount = number
    defer { input.pass(to: range.upperBound) }
    return (content(input.bytes, range, input.line), number)
  }

  /// Passes the end of the array, after which nothing may follow.
  private func end() throws(ToolFailure) -> Row? {
    isAtEnd = true
    input.pass(to: input.position + 1)
    guard try peek() == nil else { throw noJSON() }
    return nil
  }

  /// The next byte that is no space, which is not passed; nil at the end of the file.
  private func peek() throws(ToolFailure) -> UInt8? {
    while true {
      let bytes = input.bytes
      var position = input.position
      while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
      if position > input.position { input.pass(to: position) }
      if position < bytes.count { return bytes[position] }
      if input.isComplete { return nil }
      try input.readMore()
    }
  }

  /// Checks that the next byte is this one.
  private func peek(_ byte: Unicode.Scalar) throws(ToolFailure) {
    guard try peek() == UInt8(ascii: byte) else { throw noJSON() }
  }

  private func noJSON() -> ToolFailure {
    let place = "line \(input.line), column \(input.column(input.position))"
    return .badData(
      "'\(source)' is no array of JSON: \(place), after \(elementCount ?? 0) elements. Correct it; "
        + "if its objects are on lines of their own, it must not begin with a bracket.")
  }

  /// Where the element that begins at `start` ends, by its brackets and quotes alone; nil if that
  /// is not in memory.
  private static func endOfElement(_ bytes: [UInt8], from start: Int) -> Int? {
    var depth = 0
    var isQuoted = false
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if isQuoted {
        if byte == UInt8(ascii: "\\") {
          index += 1
        } else if byte == UInt8(ascii: "\"") {
          isQuoted = false
          if depth == 0 { return index + 1 }
        }
        index += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isQuoted = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
        if depth == 0 { return index + 1 }
      case _ where depth == 0 && (byte == UInt8(ascii: ",") || isSpace(byte)): return index
      default: break
      }
      index += 1
    }
    return nil
  }

  // MARK: Objects

  private func content(_ bytes: [UInt8], _ range: Range<Int>, _ line: Int) -> ImportRow.Content {
    record.bytes = bytes
    if scan(bytes, range, line) { return .object(record) }
    let text = Array(bytes[range])
    if text.starts(with: Self.schemaBeginning) {
      switch DeclaredSchema.inLine(text, line) {
      case .success(let schema?): return .schema(schema)
      case .success(nil): break
      case .failure(let row): return .bad(row)
      }
    }
    do throws(BadRow) {
      try parse(text, line)
      return .object(record)
    } catch { return .bad(error) }
  }

  /// No other line is parsed as a schema before it is parsed as an object.
  private static let schemaBeginning = Array(#"{"$schema":"#.utf8)

  private static func isSeparator(_ byte: UInt8) -> Bool {
    [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].contains(byte)
  }

  /// Reads any object.
  private func parse(_ text: [UInt8], _ line: Int) throws(BadRow) {
    let value: JSONValue
    // A first line with commas and without a brace may be the names of columns.
    let isHeader =
      line == 1 && text.first != UInt8(ascii: "{") && text.contains(where: Self.isSeparator)
    let hint = isHeader ? ". Is it CSV? Then give --from csv" : ""
    do throws(JSONError) { value = try JSONParser.parse(text) } catch {
      if case .unexpectedByte(let offset) = error {
        throw BadRow(line: line, column: offset + 1, "this is no JSON\(hint)")
      }
      if case .invalidUTF8 = error, let index = InvalidText.index(in: text, text.indices) {
        throw BadRow(line: line, column: index + 1, InvalidText.reason(text[index]))
      }
      throw BadRow(line: line, "this is no JSON: \(error)\(hint)")
    }
    guard case .object(let members) = value else {
      throw BadRow(line: line, "this is no JSON object")
    }
    guard let name = value["$class"]?.string ?? className else {
      throw BadRow(
        line: line, "the object names no class; give one with --class, or as \"$class\"")
    }
    let fields = classes[name]
    record.begin(fields, line: line)
    record.objectKey = value["$key"]?.integer
    for member in members {
      var name = member.key
      if name.hasPrefix("$") {
        guard name.hasPrefix("$$") else { continue }
        name.removeFirst()
      }
      record.cells.append(
        .init(field: fields.number(of: name), value: .json(member.value), line: line))
    }
  }

  /// Reads an object with plain members; false if it is another one, or none.
  private func scan(_ bytes: [UInt8], _ range: Range<Int>, _ line: Int) -> Bool {
    var scanner = JSONMemberScanner(bytes, range)
    guard scanner.skip(UInt8(ascii: "{")) else { return false }
    var fields = className.map { classes[$0] }
    if let fields { record.begin(fields, line: line) }
    var expected = 0
    var isFirst = true
    while true {
      guard let key = scanner.text(), scanner.skip(UInt8(ascii: ":")) else { return false }
      if let first = key.first, bytes[first] == UInt8(ascii: "$") {
        switch bytes[key] {
        case Self.classKey where isFirst:
          guard let name = scanner.text() else { return false }
          let found = self.fields(of: bytes, name)
          fields = found
          record.begin(found, line: line)
        case Self.keyKey:
          guard fields != nil, case .json(.integer(let number))? = scanner.value() else {
            return false
          }
          record.objectKey = number
        default: return false
        }
      } else {
        guard let fields, let value = scanner.value() else { return false }
        let number = fields.number(of: bytes, key, expected: expected)
        expected = number + 1
        record.cells.append(.init(field: number, value: value, line: line))
      }
      isFirst = false
      if scanner.skip(UInt8(ascii: ",")) { continue }
      return scanner.skip(UInt8(ascii: "}")) && scanner.isAtEnd
    }
  }

  private static let classKey = Array("$class".utf8)[...]
  private static let keyKey = Array("$key".utf8)[...]

  /// The properties of the class that a range of bytes names.
  private func fields(of bytes: [UInt8], _ name: Range<Int>) -> RecordFields {
    if let named, named.utf8[...] == bytes[name] { return named.fields }
    let fields = classes[String(decoding: bytes[name], as: UTF8.self)]
    named = (fields, Array(bytes[name]))
    return fields
  }
}
#endif
