// SPDX-License-Identifier: Apache-2.0

// One row of an import.

#if Tools
import RealmDeclarations

/// A row of an imported file.
struct ImportRow {
  /// The content of a row.
  enum Content {
    case object(ImportRecord)
    case bad(BadRow)
    /// The classes of an export, before its objects.
    case schema(DeclaredSchema)
    /// The properties that the first row of a CSV file names, before its objects.
    case header(RecordFields)

    /// Whether the row says what comes, and is no object.
    var isDeclaration: Bool {
      switch self {
      case .schema, .header: true
      case .object, .bad: false
      }
    }
  }

  let content: Content
  /// Where it begins: the number of its line, of its element of an array, or of its row of SQLite.
  let line: Int
  /// The digest of everything up to the end of the row, if the reader was asked for it.
  let digest: InputDigest
}
#endif
