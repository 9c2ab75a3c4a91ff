// SPDX-License-Identifier: Apache-2.0

// The columns of rows.

#if Postgres
/// Reads the columns of a row by their positions in the statement.
struct DatabaseRowReader {
  private let values: [DatabaseValue]

  init(_ values: [DatabaseValue]) { self.values = values }

  private func value(_ column: Int) -> DatabaseValue {
    values.indices.contains(column) ? values[column] : .null
  }

  func optionalInteger(_ column: Int) -> Int64? {
    if case .int(let number) = value(column) { number } else { nil }
  }

  func integer(_ column: Int) throws(StoredValueError) -> Int64 {
    guard let number = optionalInteger(column) else {
      throw StoredValueError(reason: "column \(column) has no number")
    }
    return number
  }

  func bits(_ column: Int) throws(StoredValueError) -> UInt64 {
    UInt64(bitPattern: try integer(column))
  }

  func optionalText(_ column: Int) -> String? {
    if case .text(let text) = value(column) { text } else { nil }
  }

  func text(_ column: Int) throws(StoredValueError) -> String {
    guard let text = optionalText(column) else {
      throw StoredValueError(reason: "column \(column) has no text")
    }
    return text
  }

  func optionalBytes(_ column: Int) -> [UInt8]? {
    if case .bytes(let bytes) = value(column) { bytes } else { nil }
  }

  func bytes(_ column: Int) throws(StoredValueError) -> [UInt8] {
    guard let bytes = optionalBytes(column) else {
      throw StoredValueError(reason: "column \(column) has no bytes")
    }
    return bytes
  }
}

/// A row of another form than the store writes.
struct StoredValueError: Error {
  let reason: String
}
#endif
