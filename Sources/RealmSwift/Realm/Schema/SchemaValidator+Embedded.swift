// SPDX-License-Identifier: Apache-2.0

// Checks that embedded objects have owners.

import RealmTables

extension SchemaValidator {
  /// The embedded classes that nothing can own, and those that could own themselves.
  func embeddedMistakes(among names: [String: ModelSchema]) -> [String] {
    let embedded = schemas.filter { $0.tableKind == .embedded }
    guard !embedded.isEmpty else { return [] }
    var reached = Set(schemas.filter { $0.tableKind != .embedded }.map(\.className))
    var waiting = schemas.filter { $0.tableKind != .embedded }
    while let schema = waiting.popLast() {
      for (_, linked) in SchemaValidator.embeddedLinks(of: schema, among: names)
      where reached.insert(linked.className).inserted {
        waiting.append(linked)
      }
    }
    var mistakes: [String] = []
    for schema in embedded {
      if !reached.contains(schema.className) {
        mistakes.append(
          "Embedded object '\(schema.className)' is unreachable by any link path from top level "
            + "objects.")
      }
      if let cycle = SchemaValidator.cycle(through: schema, among: names) {
        mistakes.append(
          "Cycles containing embedded objects are not currently supported: '\(cycle)'")
      }
    }
    return mistakes
  }

  /// The path through embedded classes only that leads from a class back to itself; nil if there is
  /// none.
  private static func cycle(
    through start: ModelSchema, among names: [String: ModelSchema]
  ) -> String? {
    var seen: Set<String> = []
    var waiting = [(schema: start, path: start.className)]
    while let (schema, path) = waiting.popLast() {
      for (name, linked) in embeddedLinks(of: schema, among: names) {
        let longer = "\(path).\(name)"
        if linked === start { return longer }
        if seen.insert(linked.className).inserted { waiting.append((linked, longer)) }
      }
    }
    return nil
  }

  /// The properties that hold embedded objects, and the classes of those.
  private static func embeddedLinks(
    of schema: ModelSchema, among names: [String: ModelSchema]
  ) -> [(String, ModelSchema)] {
    schema.properties.compactMap { property in
      guard property.shape.type == .object,
        let linked = property.shape.linkedClassName.flatMap({ names[$0] }),
        linked.tableKind == .embedded
      else { return nil }
      return (property.name, linked)
    }
  }
}
