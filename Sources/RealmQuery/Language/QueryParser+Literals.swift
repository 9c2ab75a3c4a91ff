// SPDX-License-Identifier: Apache-2.0

// Literals that are written like calls: regions of the earth, and objects by their primary key.
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
}
