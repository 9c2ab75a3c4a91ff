// SPDX-License-Identifier: Apache-2.0

// The classes of a file as Swift code for an app.

package import RealmQuery
package import RealmTables

/// Writes classes as declarations for `RealmSwift`.
package struct SwiftSchema {
  private let classes: StoredSchema
  /// The Swift names of the classes.
  private let typeNames: [String: String]

  package init(_ classes: StoredSchema) {
    self.classes = classes
    var names: [String: String] = [:]
    // A class keeps its name if it is one in Swift, whatever the others are called.
    var used = Set(classes.all.map(\.displayName).filter { Self.plainTypeName($0) == $0 })
    for schema in classes.all {
      let name = schema.displayName
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
    let code = classes.all.map { text(of: $0) }.joined(separator: "\n")
    return "import Foundation\nimport RealmSwift\n" + (code.isEmpty ? "" : "\n" + code)
  }

  /// The code of one class.
  package func text(of schema: TableSchema) -> String {
    let name = typeName(schema.displayName)
    let kind =
      switch schema.kind {
      case .topLevel: "Object"
      case .embedded: "EmbeddedObject"
      case .asymmetric: "AsymmetricObject"
      }
    var lines = ["final class \(name): \(kind) {"]
    if name != schema.displayName {
      lines.append(
        "  override class func _realmObjectName() -> String? { \(quoted(schema.displayName)) }")
    }
    var renamed: [(String, String)] = []
    var used = Set(schema.columns.map(\.name).filter { Self.plainPropertyName($0) == $0 })
    for column in schema.columns {
      let plain = Self.plainPropertyName(column.name)
      let property = Self.quotedName(plain == column.name ? plain : Self.free(plain, &used))
      if property.unquoted != column.name { renamed.append((property.unquoted, column.name)) }
      lines.append("  " + declaration(of: column, named: property.quoted))
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
  private func linkingObjects(of schema: TableSchema) -> [String] {
    let links = classes.links(to: schema).filter { $0.origin.kind == .topLevel }
    return links.map { origin, column in
      let name = Self.identifier(origin.displayName)
      var property = name.prefix(1).lowercased() + name.dropFirst() + "s"
      if links.filter({ $0.origin.key == origin.key }).count > 1 {
        let name = Self.identifier(column.name)
        property += "By" + name.prefix(1).uppercased() + name.dropFirst()
      }
      return "// @Persisted(originProperty: \(quoted(column.name))) "
        + "var \(property): LinkingObjects<\(typeName(origin.displayName))>"
    }
  }

  private func declaration(of column: Column, named name: String) -> String {
    let attribute =
      column.isPrimaryKey
      ? "(primaryKey: true)"
      : column.isFullText ? "(indexed: .fullText)" : column.isIndexed ? "(indexed: true)" : ""
    let isObject = column.type == .link
    let target = classes.target(of: column).map { typeName($0.displayName) } ?? "Object"
    let element = isObject ? target : Self.typeName(of: column.type)
    let optional = column.isNullable && column.type != .mixed
    let type =
      switch column.collection {
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
      case _ where TerminalText.isUnsafe(scalar):
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return "\"\(result)\""
  }
}
