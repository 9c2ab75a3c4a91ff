// SPDX-License-Identifier: Apache-2.0

// The result of an import.

#if Tools
package import RealmFormats

/// The outcome of an import.
package struct ImportReport: Sendable {
  package var created = 0
  package var updated = 0
  /// The first rows with errors.
  package var badRows: [BadRow] = []
  package var badRowCount = 0
  /// The last line committed by an earlier, interrupted import; nil if there was none.
  package var resumedAfterLine: Int?
  /// The last line whose object is in the file.
  package var committedLine = 0
  /// Whether everything is imported.
  package var isComplete = false
  package var isDryRun = false

  static let keptRowCount = 1000

  mutating func add(_ row: BadRow) {
    badRowCount += 1
    if badRows.count < Self.keptRowCount { badRows.append(row) }
  }

  /// The report for programs.
  package func json(_ plan: ImportPlan) -> JSONValue {
    [
      "plan": plan.json, "created": .integer(Int64(created)), "updated": .integer(Int64(updated)),
      "complete": .bool(isComplete), "dryRun": .bool(isDryRun),
      "resumedAfterLine": JSONValue(resumedAfterLine),
      "badRowCount": .integer(Int64(badRowCount)), "badRows": .array(badRows.map(\.json)),
    ]
  }
}
#endif
