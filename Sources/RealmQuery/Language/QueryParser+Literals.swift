// SPDX-License-Identifier: Apache-2.0

// Literals that are written like calls: regions of the earth, ids, and objects by their primary
// key.
//
//     region = geoBox(point, point) | geoCircle(point, number) | geoPolygon(ring { , ring })
//     ring   = "{" point { , point } "}"
//     point  = "[" longitude , latitude [, altitude] "]"
//     object = obj(class, key)

extension QueryParser {
  /// The present word is the name of a shape, in capitals, and a parenthesis is next.
  mutating func region(_ shape: String) throws(QuerySyntaxError) -> ParsedRegion {
    position += 1
    try expectSymbol("(")
    let region: ParsedRegion
    switch shape {
    case "GEOBOX":
      let first = try point()
      try expectSymbol(",")
      region = .box(first, try point())
    case "GEOCIRCLE":
      let center = try point()
      try expectSymbol(",")
      region = .circle(center, try operand())
    default:
      var rings = [try ring()]
      while takeSymbol(",") { rings.append(try ring()) }
      region = .polygon(rings)
    }
    try expectSymbol(")")
    return region
  }

  private mutating func ring() throws(QuerySyntaxError) -> [[ParsedOperand]] {
    try expectSymbol("{")
    var points = [try point()]
    while takeSymbol(",") { points.append(try point()) }
    try expectSymbol("}")
    return points
  }

  private mutating func point() throws(QuerySyntaxError) -> [ParsedOperand] {
    try expectSymbol("[")
    var coordinates = [try operand()]
    while takeSymbol(",") { coordinates.append(try operand()) }
    guard coordinates.count == 2 || coordinates.count == 3 else {
      throw error("longitude and latitude")
    }
    try expectSymbol("]")
    return coordinates
  }

  /// The present word is `obj`, and a parenthesis is next.
  mutating func object() throws(QuerySyntaxError) -> ParsedOperand {
    position += 1
    try expectSymbol("(")
    let name: String
    switch current.kind {
    case .string(let text): name = text
    case .word(let text): name = text
    default: throw error("the name of a class")
    }
    position += 1
    try expectSymbol(",")
    let key = try operand()
    try expectSymbol(")")
    return .object(name, key)
  }

  // MARK: Ids

  /// The present word is `oid`, and a parenthesis is next.
  mutating func objectId() throws(QuerySyntaxError) -> String {
    try textInParentheses(expected: "the 24 hexadecimal digits of an object id") { text in
      text.count == 24 && text.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit)
    }
  }

  /// The present word is `uuid`, and a parenthesis is next.
  mutating func uuid() throws(QuerySyntaxError) -> String {
    try textInParentheses(expected: "a UUID such as 3b241101-e2bb-4255-8caf-4136c566a962") { text in
      let groups = text.split(separator: "-", omittingEmptySubsequences: false)
      return groups.map(\.count) == [8, 4, 4, 4, 12]
        && groups.joined().unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit)
    }
  }

  /// What stands between the parentheses behind the present word, with or without quotes.
  private mutating func textInParentheses(
    expected: String, _ isValid: (String) -> Bool
  ) throws(QuerySyntaxError) -> String {
    position += 1
    try expectSymbol("(")
    let first = current
    while current.kind != .symbol(")") {
      guard current.kind != .end else { throw error("')'") }
      position += 1
    }
    var text = ""
    if case .string(let quoted) = first.kind {
      text = quoted
    } else {
      // Digits and letters may be several tokens; spaces between them do not count.
      text.unicodeScalars.append(
        contentsOf: query.unicodeScalars.dropFirst(first.offset).prefix(
          current.offset - first.offset
        ).filter { !$0.properties.isWhitespace })
    }
    guard isValid(text) else {
      throw QuerySyntaxError(
        query: query, offset: first.offset, expected: expected, found: first.text)
    }
    position += 1
    return text
  }

  /// Whether a text says bytes in base 64.
  static func isBase64(_ text: String) -> Bool {
    let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
    return text.utf8.count % 4 == 0 && text.utf8.count - digits.count <= 2
      && text.utf8.dropFirst(digits.count).allSatisfy { $0 == UInt8(ascii: "=") }
      && digits.allSatisfy { byte in
        Unicode.Scalar(byte).properties.isAlphabetic && byte < 0x80
          || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
      }
  }
}
