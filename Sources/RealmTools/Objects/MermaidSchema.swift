// SPDX-License-Identifier: Apache-2.0

// The classes of a file as a diagram.

#if Tools
import RealmDeclarations
package import RealmQuery
import RealmTables

/// Writes classes as a class diagram of Mermaid.
package struct MermaidSchema {
  private let classes: StoredSchema

  package init(_ classes: StoredSchema) { self.classes = classes }

  package var text: String {
    var lines = ["classDiagram"]
    for schema in classes.all {
      lines.append("  class \(name(schema)) {")
      if schema.kind == .embedded { lines.append("    <<embedded>>") }
      if schema.kind == .asymmetric { lines.append("    <<asymmetric>>") }
      for column in schema.columns where column.type != .link {
        let mark = column.isPrimaryKey ? " PK" : column.hasIndex ? " indexed" : ""
        lines.append("    \(type(of: column)) \(Self.line(column.name))\(mark)")
      }
      lines.append("  }")
    }
    for schema in classes.all {
      for column in schema.columns {
        guard let target = classes.target(of: column) else { continue }
        let arrow = target.kind == .embedded ? "*--" : "-->"
        let count = column.collection == .none ? "0..1" : "*"
        lines.append(
          "  \(name(schema)) \(arrow) \"\(count)\" \(name(target)) : \(Self.line(column.name))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func name(_ schema: TableSchema) -> String {
    let plain = Self.line(schema.displayName).replacing("`", with: "'")
    return plain.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? plain : "`\(plain)`"
  }

  /// A name without line breaks.
  private static func line(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.map {
          TerminalText.isUnsafe($0) || $0.properties.isWhitespace && $0 != " " ? "_" : $0
        }))
  }

  private func type(of column: Column) -> String {
    let element =
      SwiftSchema.typeName(of: column.type)
      + (column.isNullable && column.type != .mixed ? "?" : "")
    return switch column.collection {
    case .none: element
    case .list: "List~\(element)~"
    case .set: "Set~\(element)~"
    case .dictionary: "Map~\(element)~"
    }
  }
}
#endif
