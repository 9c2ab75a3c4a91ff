// SPDX-License-Identifier: Apache-2.0

// Why changesets cannot be merged.

/// The contradiction between two histories. One of the peers is wrong.
package enum MergeError: Error, Hashable, Sendable {
  /// Two list instructions of the same list disagree about its size; the smaller one is first.
  case sizeMismatch(Conflict, UInt32, UInt32)
  /// Both sides add a class, and with different kinds or primary keys.
  case tableMismatch(Conflict)
  /// Both sides add a property, and with different types.
  case columnMismatch(Conflict)
  /// An index or size of a list leaves the range of 32 bits.
  case positionOutOfRange(Conflict)
  /// The merge compares more pairs of instructions than the caller has time for.
  case tooMuchWork(Conflict)

  /// The class and property of the contradiction.
  package struct Conflict: Hashable, Sendable {
    package var table: String
    package var field: String?
  }
}

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
