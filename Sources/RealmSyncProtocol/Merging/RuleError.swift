// SPDX-License-Identifier: Apache-2.0

// The errors of one step of a merge.

/// The contradiction found by a rule, or the end of the work, before its position is known.
enum RuleError: Error {
  case sizeMismatch(UInt32, UInt32)
  case tableMismatch
  case columnMismatch
  case positionOutOfRange
  case tooMuchWork

  /// The disagreement of two steps about the size of a list.
  static func sizeMismatch(of left: MergeStep, _ right: MergeStep) -> RuleError {
    .sizeMismatch(min(left.priorSize, right.priorSize), max(left.priorSize, right.priorSize))
  }

  /// The error for the caller of the merge.
  func error(at conflict: MergeError.Conflict) -> MergeError {
    switch self {
    case .sizeMismatch(let left, let right): .sizeMismatch(conflict, left, right)
    case .tableMismatch: .tableMismatch(conflict)
    case .columnMismatch: .columnMismatch(conflict)
    case .positionOutOfRange: .positionOutOfRange(conflict)
    case .tooMuchWork: .tooMuchWork(conflict)
    }
  }
}
