// SPDX-License-Identifier: Apache-2.0

// The completions of the shell for the tabulator key.

#if Tools
import RealmQuery
import RealmTables

/// Completes words of statements.
struct ShellCompletion {
  private let classes: StoredSchema

  private static let beginnings = [
    "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "ROLLBACK", ".classes", ".schema", ".explain",
    ".help", ".quit",
  ]
  private static let words = [
    "WHERE", "SORT(", "DISTINCT(", "LIMIT(", "OFFSET(", "AND", "OR", "NOT", "ANY", "ALL", "NONE",
    "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "BETWEEN", "IN", "ASC", "DESC", "SET", "nil",
    "true", "false",
  ]

  init(_ classes: StoredSchema) { self.classes = classes }

  /// The completions of the last word of a line.
  func candidates(for line: String) -> [String] {
    let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    let last = String(line.reversed().prefix(while: isPart).reversed())
    let before = line.dropLast(last.count)
    let isFirst = before.allSatisfy { $0.isWhitespace }
    let end = before.last == "`" ? "`" : ""
    let names = classes.all.map { $0.displayName + end }
    guard !isFirst else { return matching(last, names + Self.beginnings) }
    // The class of the statement is the first one in it.
    let parts = before.split { !isPart($0) }.map(String.init)
    guard let schema = parts.lazy.compactMap({ classes[$0] }).first else {
      return matching(last, names)
    }
    guard let dot = last.lastIndex(of: ".") else {
      return matching(last, schema.columns.map(\.name) + Self.words)
    }
    var owner: TableSchema? = schema
    for name in last[..<dot].split(separator: ".") {
      owner = owner?.column(named: String(name)).flatMap { classes.target(of: $0) }
    }
    let prefix = String(last[...dot])
    return matching(last, (owner?.columns ?? []).map { prefix + $0.name })
  }

  private func matching(_ start: String, _ words: [String]) -> [String] {
    let exact = words.filter { $0.hasPrefix(start) }
    if !exact.isEmpty { return exact.sorted() }
    return words.filter { $0.lowercased().hasPrefix(start.lowercased()) }.sorted()
  }
}
#endif
