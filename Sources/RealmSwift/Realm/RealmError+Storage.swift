// SPDX-License-Identifier: Apache-2.0

// Converts errors of the engine to public ones: the code, the path, and the remedy.

import Foundation
import RealmStorage

extension Realm.Error {
  /// The public form of an error of the engine that occurred while using the file at `path`.
  init(_ error: StorageError, path: String) {
    switch error {
    case .corrupted(let reason):
      self.init(
        .invalidDatabase,
        message:
          "The Realm file at path '\(path)' is damaged: \(reason). Restore it from a backup, "
          + "or delete it and create it again.",
        path: path)
    case .system(let operation, let failed, let code):
      self.init(systemCode: code, operation: operation, failed: failed, path: path)
    // The reason includes the remedy: it depends on what the file is instead.
    case .notADatabase: self.init(.invalidDatabase, message: "\(error)", path: path)
    case .unsupportedFormat:
      self.init(
        .unsupportedFileFormatVersion,
        message: "\(error). \(error.formatRemedy ?? "")", path: path)
    case .formatUpgradeRequired:
      self.init(
        .fileFormatUpgradeRequired,
        message: "\(error) Open a copy of it with a configuration that is not read-only.",
        path: path)
    case .incompatibleHistory, .unsupportedHistory:
      self.init(
        .incompatibleHistories,
        message: "\(error) Open it with the configuration that it was created with.", path: path)
    case .pendingUploads: self.init(.fail, message: "\(error)", path: path)
    case .multipleAgents: self.init(.multipleSyncAgents, message: "\(error)", path: path)
    case .incompatibleLockFile:
      self.init(
        .incompatibleLockFile, message: "\(error) Close the other program first.", path: path)
    // The reason includes what is there, and the remedy.
    case .foreignFile: self.init(.fileAccess, message: "\(error)", path: path)
    case .addressSpaceExhausted:
      self.init(
        .addressSpaceExhausted,
        message: "\(error) Close other Realms, or raise the limit of the process's address space.",
        path: path)
    case .poisoned: self.init(.fileAccess, message: "\(error)", path: path)
    case .differentKey: self.init(.alreadyOpen, message: "\(error)", path: path)
    case .encryptionUnavailable: self.init(.invalidInput, message: "\(error)", path: path)
    case .threadUnavailable(_, let purpose):
      // The engine names the lock file, which the program does not know.
      let named = StorageError.threadUnavailable(path: path, purpose: purpose)
      self.init(.fail, message: "\(named)", path: path)
    case .forkedProcess: self.init(.fail, message: "\(error)", path: path)
    case .limitExceeded(let reason): self.init(.invalidInput, message: reason, path: path)
    }
  }

  private init(systemCode: Int32, operation: String, failed: String, path: String) {
    let reason = unsafe String(cString: strerror(systemCode))
    let opening = "Failed to open Realm file at path '\(path)': \(reason)"
    switch systemCode {
    case EACCES, EPERM, EROFS:
      self.init(
        .filePermissionDenied,
        message: opening + (failed == path ? "" : " for '\(failed)'")
          + ". Please use a path where your app has read-write permissions.",
        path: path, systemCode: systemCode)
    case ENOENT:
      self.init(
        .fileNotFound, message: opening + MissingPath.hint(path), path: path,
        systemCode: systemCode)
    case ENOSPC, EDQUOT, EFBIG:
      self.init(
        .outOfDiskSpace,
        message: "\(operation) of '\(failed)' failed: \(reason). Nothing was written; free some "
          + "space and write again.",
        path: path, systemCode: systemCode)
    case ENOTDIR:
      self.init(
        .fileOperationFailed,
        message: "Failed to open file at path '\(path).lock': parent path is not a directory",
        path: path + ".lock", systemCode: systemCode)
    case EISDIR:
      self.init(
        .fileAccess, message: opening + ". Use the path of a file in an existing directory.",
        path: path, systemCode: systemCode)
    default:
      self.init(
        .fileAccess,
        message: "\(operation) of '\(failed)' failed: \(reason)"
          + (StorageError.lockRemedy(operation, systemCode) ?? "."),
        path: path,
        systemCode: systemCode)
    }
  }
}
