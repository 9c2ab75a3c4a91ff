// SPDX-License-Identifier: Apache-2.0

// The virtual tables of SQLite, and the tables in which their modules keep what they have.
//
// 1. A virtual table is read as others are. The tables behind it are an index or a second copy, so
//    they are no classes; neither is a search table over the contents of another table.

#if Tools
import Foundation

/// What of a database's tables belongs to virtual ones.
struct VirtualTables {
  /// The virtual tables that can be read.
  private(set) var names: Set<String> = []
  /// The tables that are no classes.
  private(set) var leftOut: Set<String> = []
  /// The reasons, in sentences.
  private(set) var notes: [String] = []

  /// The ends of the names of a module's tables, where SQLite is too old to tell them.
  private static let endings = [
    "fts3": ["content", "segments", "segdir", "docsize", "stat"],
    "fts4": ["content", "segments", "segdir", "docsize", "stat"],
    "fts5": ["data", "idx", "content", "docsize", "config"],
    "rtree": ["node", "parent", "rowid"], "rtree_i32": ["node", "parent", "rowid"],
    "geopoly": ["node", "parent", "rowid"],
  ]

  init(_ database: SQLiteDatabase) throws {
    let rows = try database.rows(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'")
    for row in rows {
      guard case .text(let name) = row[0], case .text(let statement) = row[1] else { continue }
      let module = Self.module(of: statement)
      for ending in Self.endings[module] ?? [] { leftOut.insert("\(name)_\(ending)") }
      if module.hasPrefix("fts"), Self.hasForeignContent(statement) {
        leftOut.insert(name)
        notes.append("\(name): this search table has no contents of its own, and is left out.")
      } else if (try? database.rows("SELECT * FROM \(SQLiteSource.quoted(name)) LIMIT 1")) == nil {
        leftOut.insert(name)
        notes.append(
          "\(name): the SQLite of this machine cannot read tables of the module '\(module)', so "
            + "it is left out.")
      } else {
        names.insert(name)
      }
    }
    // Older versions of SQLite know no such list, and give no rows.
    for row in try database.rows("PRAGMA table_list") where row.count > 2 {
      if case .text(let name) = row[1], case .text("shadow") = row[2] { leftOut.insert(name) }
    }
  }

  /// The module of `CREATE VIRTUAL TABLE name USING module(…)`, in lower case.
  private static func module(of statement: String) -> String {
    let parts = statement.lowercased().split { $0.isWhitespace || $0 == "(" }
    guard let using = parts.firstIndex(of: "using"), using + 1 < parts.endIndex else { return "" }
    return String(parts[using + 1])
  }

  /// Whether the texts of a search table are in another table, or nowhere.
  private static func hasForeignContent(_ statement: String) -> Bool {
    statement.lowercased().contains(#/[,(]\s*content\s*=/#)
  }
}
#endif
