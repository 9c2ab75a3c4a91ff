// SPDX-License-Identifier: Apache-2.0

// Literals that are written like calls: regions of the earth, ids, and objects by their primary
// key.
//
//     region = geoBox(point, point) | geoCircle(point, number) | geoPolygon(ring { , ring })
//     ring   = "{" point { , point } "}"
//     point  = "[" longitude , latitude [, altitude] "]"
//     object = obj(class, key)

import RealmStorage
import RealmText

extension QueryParser {
  /// The present word is the name of a shape, in capitals, and a parenthesis is next.
  mutating func region(_ shape: String) throws(QuerySyntaxError) -> RegionLiteral {
    position += 1
    try expectSymbol("(")
    let region: RegionLiteral
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

  private mutating func ring() throws(QuerySyntaxError) -> [[Operand]] {
    try expectSymbol("{")
    var points = [try point()]
    while takeSymbol(",") { points.append(try point()) }
    try expectSymbol("}")
    return points
  }

  private mutating func point() throws(QuerySyntaxError) -> [Operand] {
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
  mutating func object() throws(QuerySyntaxError) -> Operand {
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
  mutating func objectId() throws(QuerySyntaxError) -> Bytes12 {
    let id = try valueInParentheses(expected: "the 24 hexadecimal digits of an object id") { text in
      ObjectIDBits(text: text)
    }
    return Bytes12(high: id.high, low: id.low)
  }

  /// The present word is `uuid`, and a parenthesis is next.
  mutating func uuid() throws(QuerySyntaxError) -> Bytes16 {
    let id = try valueInParentheses(
      expected: "a UUID such as 3b241101-e2bb-4255-8caf-4136c566a962"
    ) { UUIDBits(text: $0) }
    return Bytes16(high: id.high, low: id.low)
  }

  /// The value between the parentheses after the present word, with or without quotes.
  private mutating func valueInParentheses<Value>(
    expected: String, _ value: (String) -> Value?
  ) throws(QuerySyntaxError) -> Value {
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
    guard let value = value(text) else {
      throw QuerySyntaxError(
        query: query, offset: first.offset, expected: expected, found: first.text)
    }
    position += 1
    return value
  }
}
