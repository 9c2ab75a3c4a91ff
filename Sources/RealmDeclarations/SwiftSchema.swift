// SPDX-License-Identifier: Apache-2.0

// Classes as Swift code for an app.

package import RealmQuery
package import RealmTables

/// Writes classes as declarations for `RealmSwift`.
package struct SwiftSchema {
  private let classes: [DeclaredSchema.Class]
  /// The Swift names of the classes.
  private let typeNames: [String: String]

  /// The code of a file's classes.
  package init(_ classes: StoredSchema) { self.init(DeclaredSchema(classes)) }

  package init(_ schema: DeclaredSchema) {
    classes = schema.classes
    var names: [String: String] = [:]
    // A class keeps its name if it is one in Swift, whatever the others are called.
    var used = Set(classes.map(\.name).filter { Self.plainTypeName($0) == $0 })
    for name in classes.map(\.name) {
      let plain = Self.plainTypeName(name)
      names[name] = plain == name ? plain : Self.free(plain, &used)
    }
    typeNames = names
  }

  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "open", "operator", "private", "precedencegroup",
    "protocol", "public", "rethrows", "static", "struct", "subscript", "typealias", "var", "break",
    "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard",
    "if", "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as", "await",
    "catch", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type",
  ]

  /// Types in the code: no class of a file can have their names.
  private static let takenTypes: Set<String> = [
    "Int", "Bool", "String", "Data", "Date", "Float", "Double", "Decimal128", "ObjectId", "UUID",
    "AnyRealmValue", "List", "MutableSet", "Map", "LinkingObjects", "Object", "EmbeddedObject",
    "AsymmetricObject", "Persisted", "Any", "Self", "Type", "Protocol",
  ]

  /// Names of `Object` itself: no property of a class can have them.
  private static let taken: Set<String> = [
    "description", "hash", "isInvalidated", "isFrozen", "objectSchema", "realm", "observe",
    "debugDescription", "hashValue",
  ]

  /// The code of all classes.
  package var text: String {
    let code = classes.map { text(of: $0) }.joined(separator: "\n")
    return "import Foundation\nimport RealmSwift\n" + (code.isEmpty ? "" : "\n" + code)
  }

  /// The code of one class; nil if there is none of the name.
  package func text(ofClass name: String) -> String? {
    classes.first { $0.name == name }.map { text(of: $0) }
  }

  private func text(of schema: DeclaredSchema.Class) -> String {
    let name = typeName(schema.name)
    let kind =
      switch schema.kind {
      case .topLevel: "Object"
      case .embedded: "EmbeddedObject"
      case .asymmetric: "AsymmetricObject"
      }
    var lines = ["final class \(name): \(kind) {"]
    if name != schema.name {
      lines.append(
        "  override class func _realmObjectName() -> String? { \(quoted(schema.name)) }")
    }
    var renamed: [(String, String)] = []
    var used = Set(schema.properties.map(\.name).filter { Self.plainPropertyName($0) == $0 })
    for stored in schema.properties {
      let plain = Self.plainPropertyName(stored.name)
      let property = Self.quotedName(plain == stored.name ? plain : Self.free(plain, &used))
      if property.unquoted != stored.name { renamed.append((property.unquoted, stored.name)) }
      let isKey = stored.name == schema.primaryKey
      lines.append("  " + declaration(of: stored, named: property.quoted, isPrimaryKey: isKey))
    }
    for line in linkingObjects(of: schema) { lines.append("  " + line) }
    if !renamed.isEmpty {
      lines.append("")
      lines.append("  override class func propertiesMapping() -> [String: String] {")
      lines.append(
        "    [" + renamed.map { "\(quoted($0)): \(quoted($1))" }.joined(separator: ", ") + "]")
      lines.append("  }")
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// The links to the class from others; a file has no names for these, so a comment offers them.
  private func linkingObjects(of schema: DeclaredSchema.Class) -> [String] {
    let links = classes.filter { $0.kind == .topLevel }.flatMap { origin in
      origin.properties.filter { $0.type == .link && $0.target == schema.name }
        .map { (origin: origin.name, property: $0.name) }
    }
    return links.map { origin, link in
      let name = Self.identifier(origin)
      var property = name.prefix(1).lowercased() + name.dropFirst() + "s"
      if links.filter({ $0.origin == origin }).count > 1 {
        let name = Self.identifier(link)
        property += "By" + name.prefix(1).uppercased() + name.dropFirst()
      }
      return "// @Persisted(originProperty: \(quoted(link))) "
        + "var \(property): LinkingObjects<\(typeName(origin))>"
    }
  }

  private func declaration(
    of property: DeclaredSchema.Property, named name: String, isPrimaryKey: Bool
  ) -> String {
    let attribute =
      isPrimaryKey
      ? "(primaryKey: true)"
      : property.index.map { $0 == .fullText ? "(indexed: .fullText)" : "(indexed: true)" } ?? ""
    let isObject = property.type == .link
    let target = property.target.map { typeName($0) } ?? "Object"
    let element = isObject ? target : Self.typeName(of: property.type)
    let optional = property.isNullable && property.type != .mixed
    let type =
      switch property.collection {
      case .none: element + (optional || isObject ? "?" : "")
      case .list: "List<\(element)\(optional && !isObject ? "?" : "")>"
      case .set: "MutableSet<\(element)\(optional && !isObject ? "?" : "")>"
      case .dictionary: "Map<String, \(element)\(optional || isObject ? "?" : "")>"
      }
    return "@Persisted\(attribute) var \(name): \(type)"
  }

  /// The Swift type of values.
  package static func typeName(of type: ColumnType) -> String {
    switch type {
    case .int: "Int"
    case .bool: "Bool"
    case .string: "String"
    case .binary: "Data"
    case .mixed, .typedLink: "AnyRealmValue"
    case .timestamp: "Date"
    case .float: "Float"
    case .double: "Double"
    case .decimal: "Decimal128"
    case .link, .backlink: "Object"
    case .objectId: "ObjectId"
    case .uuid: "UUID"
    }
  }

  // MARK: Names

  private func typeName(_ name: String) -> String {
    Self.quotedName(typeNames[name] ?? Self.plainTypeName(name)).quoted
  }

  private static func plainTypeName(_ name: String) -> String {
    let plain = identifier(name)
    return takenTypes.contains(plain) ? plain + "_" : plain
  }

  private static func plainPropertyName(_ name: String) -> String {
    let plain = identifier(name)
    return taken.contains(plain) ? plain + "_" : plain
  }

  private static func quotedName(_ plain: String) -> (unquoted: String, quoted: String) {
    (plain, keywords.contains(plain) ? "`\(plain)`" : plain)
  }

  /// A unique name, with a number if need be.
  private static func free(_ name: String, _ used: inout Set<String>) -> String {
    var result = name
    var number = 2
    while !used.insert(result).inserted {
      result = "\(name)_\(number)"
      number += 1
    }
    return result
  }

  /// A name with an underscore for each character outside of identifiers.
  private static func identifier(_ name: String) -> String {
    let text = String(
      name.unicodeScalars.map { scalar -> Character in
        let isFine = scalar == "_" || scalar.properties.isXIDContinue
        return isFine ? Character(scalar) : "_"
      })
    // "_" alone is no name.
    guard let first = text.unicodeScalars.first, text != "_" else { return "__" }
    return first == "_" || first.properties.isXIDStart ? text : "_" + text
  }

  private func quoted(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where Self.isInvisible(scalar):
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return "\"\(result)\""
  }

  /// Whether a character may have another effect than its appearance, or has none.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      true
    default: false
    }
  }
}
