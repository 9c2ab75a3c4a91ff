// SPDX-License-Identifier: Apache-2.0

// What an import reads: a row after the other.

/// A row of an imported file.
struct ImportRow {
  /// What a row says.
  enum Content {
    case object(ImportRecord)
    case bad(BadRow)
    /// The classes of an export, which come before its objects.
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
  /// Of everything that was read up to the end of the row.
  let digest: InputDigest
}
