// SPDX-License-Identifier: Apache-2.0

// Errors about a copy of a file that the program does not know of.

extension StorageError {
  /// The same error about the file at another path: the one that the program has named.
  package func naming(_ path: String) -> StorageError {
    switch self {
    case .corrupted, .limitExceeded: self
    case .system(let operation, _, let code): .system(operation: operation, path: path, code: code)
    case .notADatabase(_, let reason): .notADatabase(path: path, reason: reason)
    case .unsupportedFormat(_, let version): .unsupportedFormat(path: path, version: version)
    case .formatUpgradeRequired(_, let version):
      .formatUpgradeRequired(path: path, version: version)
    case .incompatibleHistory(_, let type, let asSynchronised):
      .incompatibleHistory(path: path, type: type, asSynchronised: asSynchronised)
    case .unsupportedHistory(_, let version): .unsupportedHistory(path: path, version: version)
    case .pendingUploads: .pendingUploads(path: path)
    case .multipleAgents: .multipleAgents(path: path)
    case .incompatibleLockFile(_, let reason): .incompatibleLockFile(path: path, reason: reason)
    case .foreignFile(_, let role, let found): .foreignFile(path: path, role: role, found: found)
    case .addressSpaceExhausted(_, let byteCount):
      .addressSpaceExhausted(path: path, byteCount: byteCount)
    case .poisoned: .poisoned(path: path)
    case .differentKey: .differentKey(path: path)
    case .encryptionUnavailable(_, let reason): .encryptionUnavailable(path: path, reason: reason)
    case .threadUnavailable(_, let purpose): .threadUnavailable(path: path, purpose: purpose)
    case .forkedProcess: .forkedProcess(path: path)
    }
  }
}
