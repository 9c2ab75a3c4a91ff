// SPDX-License-Identifier: Apache-2.0

// One row of an import.

import RealmDeclarations

/// A row of an imported file.
struct ImportRow {
  /// The content of a row.
  enum Content {
    case object(ImportRecord)
    case bad(BadRow)
    /// The classes of an export, before its objects.
    case schema(DeclaredSchema)

    init(_ result: Result<ImportRecord, BadRow>) {
      switch result {
      case .success(let record): self = .object(record)
      case .failure(let row): self = .bad(row)
      }
    }
  }

  let content: Content
  /// Where it begins.
  let line: Int
  /// The digest of everything up to the end of the row.
  let digest: InputDigest
}
