// SPDX-License-Identifier: Apache-2.0

// The classes of a file as Swift code that can be pasted into an app.

package import RealmTables

/// Writes classes as declarations for `RealmSwift`.
package struct SwiftSchema {
  private let classes: StoredClasses

  package init(_ classes: StoredClasses) { self.classes = classes }

  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "open", "operator", "private", "precedencegroup",
    "protocol", "public", "rethrows", "static", "struct", "subscript", "typealias", "var", "break",
    "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard",
    "if", "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as", "await",
    "catch", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type",
  ]

  /// Names that `Object` has itself: a property of a class cannot be called so.
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
    let name = Self.typeName(schema.displayName)
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
    for column in schema.columns {
      let property = Self.propertyName(column.name)
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

  /// The links to the class from others, which a file does not name: a comment offers them.
  private func linkingObjects(of schema: TableSchema) -> [String] {
    let links = classes.links(to: schema).filter { $0.origin.kind == .topLevel }
    return links.map { origin, column in
      let name = origin.displayName
      var property = name.prefix(1).lowercased() + name.dropFirst() + "s"
      if links.filter({ $0.origin.key == origin.key }).count > 1 {
        property += "By" + column.name.prefix(1).uppercased() + column.name.dropFirst()
      }
      return "// @Persisted(originProperty: \(quoted(column.name))) "
        + "var \(property): LinkingObjects<\(Self.typeName(name))>"
    }
  }

  private func declaration(of column: Column, named name: String) -> String {
    let attribute =
      column.isPrimaryKey
      ? "(primaryKey: true)"
      : column.isFullText ? "(indexed: .fullText)" : column.isIndexed ? "(indexed: true)" : ""
    let isObject = column.type == .link
    let target = classes.target(of: column).map { Self.typeName($0.displayName) } ?? "Object"
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

  private static func typeName(_ name: String) -> String {
    let plain = identifier(name)
    return keywords.contains(plain) ? "`\(plain)`" : plain
  }

  private static func propertyName(_ name: String) -> (unquoted: String, quoted: String) {
    var plain = identifier(name)
    if taken.contains(plain) { plain += "_" }
    return (plain, keywords.contains(plain) ? "`\(plain)`" : plain)
  }

  /// A name with an underscore for each character that no identifier has.
  private static func identifier(_ name: String) -> String {
    let text = String(
      name.unicodeScalars.map { scalar -> Character in
        let isFine = scalar == "_" || scalar.properties.isXIDContinue
        return isFine ? Character(scalar) : "_"
      })
    guard let first = text.unicodeScalars.first else { return "_" }
    return first == "_" || first.properties.isXIDStart ? text : "_" + text
  }

  private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
