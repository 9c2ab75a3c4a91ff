// SPDX-License-Identifier: Apache-2.0

// Reasons for refusing a download.

package import RealmReplication
package import RealmStorage
package import RealmSyncProtocol

/// The error of integrating a download. The file is as before the failed commit.
package enum IntegrationError: ErrorAboveStorage, Hashable, Sendable {
  /// A changeset cannot be read.
  case unreadableChangeset(ChangesetError)
  /// A changeset contradicts later writes of this file.
  case unmergeableChangeset(MergeError)
  /// A changeset does not fit the file.
  case unfitChangeset(ApplyProblem, instruction: String)
  /// A changeset is too large to be stored.
  case changesetTooLarge(byteCount: Int)
  /// Cursors went back, or name impossible versions.
  case badProgress(String)
  /// The identifier cannot be this file's.
  case badIdentifier(String)
  /// The database failed; the server is not at fault.
  case storage(StorageError)

  /// The code for the server (JSON_ERROR, P1 C.2); nil for errors of this device.
  package var reportedCode: ErrorCode? {
    switch self {
    case .unreadableChangeset, .unmergeableChangeset, .unfitChangeset:
      ErrorCode(SessionErrorCode.badChangeset)
    case .changesetTooLarge: ErrorCode(ConnectionErrorCode.badChangesetSize)
    case .badProgress, .badIdentifier: ErrorCode(SessionErrorCode.badProgress)
    case .storage: nil
    }
  }

  init(_ error: ApplyError) {
    switch error {
    case .badChangeset(let problem, let instruction):
      self = .unfitChangeset(problem, instruction: instruction)
    case .storage(let error): self = .storage(error)
    }
  }
}

extension IntegrationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreadableChangeset(let error): "Bad changeset received: \(error)"
    case .unmergeableChangeset(.tableMismatch(let conflict)),
      .unmergeableChangeset(.columnMismatch(let conflict)):
      Self.mismatch(conflict.field.map { "\(conflict.table).\($0)" } ?? conflict.table)
    case .unfitChangeset(.classMismatch(let name), _),
      .unfitChangeset(.propertyMismatch(let name), _):
      Self.mismatch(name)
    case .unmergeableChangeset(let error): "Bad changeset received: \(error)"
    case .unfitChangeset(let problem, let instruction):
      "Bad changeset received: \(problem) at \(instruction)"
    case .changesetTooLarge(let byteCount):
      "A changeset of \(byteCount) bytes is too large to be stored"
    case .badProgress(let reason): "Bad progress information: \(reason)"
    case .badIdentifier(let reason): "Bad file identifier: \(reason)"
    case .storage(let error): "\(error)"
    }
  }

  /// The text by which the server knows that a reset does not help.
  private static func mismatch(_ name: String) -> String {
    "Bad changeset received: Schema mismatch: another definition of \(name)"
  }
}
