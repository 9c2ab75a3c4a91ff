// SPDX-License-Identifier: Apache-2.0

// The one error type of the storage engine.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An error below the tables: of I/O, of a file that is not ours to open, of damaged bytes.
///
/// Layers above add the object type and key, and widen it to the public `Realm.Error`.
@usableFromInline
package enum StorageError: Error, Hashable, Sendable {
  /// The bytes of the file contradict the format.
  case corrupted(String)
  /// A system call failed.
  case system(operation: String, path: String, code: Int32)
  /// The file exists but holds something that is not a Realm database.
  case notADatabase(path: String, reason: String)
  /// The file is in a format this version cannot open.
  case unsupportedFormat(path: String, version: Int)
  /// The file needs an upgrade to format 24, which this kind of open does not do.
  case formatUpgradeRequired(path: String, version: Int)
  /// The file has a history of another type: it belongs to a synchronised client or to a server, or
  /// it was to be opened as synchronised and is not.
  case incompatibleHistory(path: String, type: Int, asSynchronised: Bool = false)
  /// The history of a synchronised file is in a form that this version cannot continue.
  case unsupportedHistory(path: String, version: Int)
  /// A synchronised file has changes that must be uploaded before it is copied.
  case pendingUploads(path: String)
  /// Another caller, in this or another process, synchronises the file.
  case multipleAgents(path: String)
  /// Another implementation has the file open.
  case incompatibleLockFile(path: String, reason: String)
  /// A file of others is in the place of one beside the database.
  case foreignFile(path: String, role: String, found: String)
  /// The address space for the file could not be reserved, or the file has outgrown it.
  case addressSpaceExhausted(path: String, byteCount: Int)
  /// An earlier sync failed; the open file takes no more writes.
  case poisoned(path: String)
  /// The process has the file open with another encryption key, or without one.
  case differentKey(path: String)
  /// There is no cipher: neither the system's library nor, in this build, one of the package.
  case encryptionUnavailable(path: String, reason: String)
  /// The system has no thread to give.
  case threadUnavailable(path: String, purpose: String)
  /// The process was forked from one that has databases open, and runs the same program.
  case forkedProcess(path: String)
  /// A value is larger than the format can hold.
  case limitExceeded(String)
}

extension StorageError: CustomStringConvertible {
  @usableFromInline package var description: String {
    switch self {
    case .corrupted(let reason):
      "The database is damaged: \(reason)."
    case .system(let operation, let path, let code):
      Self.describe(operation, path, code)
    case .notADatabase(let path, let reason):
      "Failed to open Realm file at path '\(path)': \(reason)"
    case .unsupportedFormat(let path, let version):
      "Failed to open Realm file at path '\(path)': "
        + "Database has an unsupported version (\(version)) and cannot be upgraded"
    case .formatUpgradeRequired(let path, let version):
      "Failed to open Realm file at path '\(path)': Database upgrade required but prohibited. "
        + "The file is in format \(version)."
    case .incompatibleHistory(let path, let type, true):
      "Realm file at path '\(path)' has history type '\(type)', but is being opened in "
        + "synchronized history mode."
    case .unsupportedHistory(let path, let version):
      "Failed to open Realm file at path '\(path)': Incompatible histories. The file is "
        + "synchronised, and version \(version) of its history cannot be continued."
    case .pendingUploads(let path):
      "The synchronised Realm at path '\(path)' has changes that are not uploaded. Wait for their "
        + "upload, then copy it."
    case .multipleAgents(let path):
      "The Realm file at path '\(path)' is synchronised already, by this or another process."
    case .incompatibleHistory(let path, let type, false):
      "Failed to open Realm file at path '\(path)': Incompatible histories. The file has history "
        + "type \(type) and belongs to a synchronised client or server."
    case .incompatibleLockFile(let path, let reason):
      "Failed to open Realm file at path '\(path)': \(reason)"
    case .foreignFile(let path, let role, let found):
      "The \(role) '\(path)' cannot be used: in its place is \(found). It was left as it is. Move "
        + "it away, and try again."
    case .addressSpaceExhausted(let path, let byteCount):
      "Reserving \(byteCount) bytes of address space for '\(path)' failed."
    case .poisoned(let path):
      "A sync of '\(path)' failed earlier. Close and reopen the Realm before writing again."
    case .differentKey(let path):
      "Realm at path '\(path)' already opened with a different encryption key."
    case .encryptionUnavailable(let path, let reason):
      "The Realm at path '\(path)' cannot be encrypted or decrypted: \(reason)"
    case .threadUnavailable(let path, let purpose):
      "No thread could be started for the Realm at path '\(path)', \(purpose). End threads or "
        + "processes, or raise their limit (ulimit -u), and try again."
    case .forkedProcess(let path):
      "The Realm at path '\(path)' cannot be used: the process was forked from one that has used "
        + "Realms. Call exec in the child, or fork before the first Realm is opened."
    case .limitExceeded(let reason):
      reason
    }
  }
}

extension StorageError {
  /// What can be done about a format that cannot be upgraded; nil for other errors.
  package var formatRemedy: String? {
    guard case .unsupportedFormat(_, let version) = self else { return nil }
    return switch version {
    case 25...:
      "A newer version of the library wrote the file. Update this one, or restore a backup in "
        + "format 24 or before."
    case 5...9:
      "Format \(version) is from before 2020. Open the file once with a Realm SDK that is built on "
        + "Realm Core 6 to 13, which upgrades it, and then again here."
    case 1...4:
      "Format \(version) is from before 2016. Open the file with Realm SDKs of later years one "
        + "after the other, each of which upgrades it, and then again here."
    default:
      "No release has ever written format \(version): the file is damaged. Restore it from a "
        + "backup."
    }
  }

  /// What can be done where files cannot be locked; nil for other failures of calls.
  package static func lockRemedy(_ operation: String, _ code: Int32) -> String? {
    let lacks = [ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP, EINVAL]
    guard operation == "Locking", lacks.contains(code) else { return nil }
    return ". The file system has no file locks, like some networks: use a path on a local one."
  }

  /// The meaning of a failed system call to the user of the file.
  private static func describe(_ operation: String, _ path: String, _ code: Int32) -> String {
    let cause = unsafe String(cString: strerror(code))
    let isFull = code == ENOSPC || code == EDQUOT
    if operation == "Syncing" {
      return "Syncing the Realm file at path '\(path)' failed: \(cause)"
        + (isFull ? ". Make room on the disk, then close" : ". Close")
        + " and reopen the Realm before writing again."
    }
    guard operation == "Opening" else {
      return "\(operation) the Realm file at path '\(path)' failed: \(cause)"
        + (isFull ? ". Make room on the disk and try again." : "")
        + (lockRemedy(operation, code) ?? "")
    }
    let hint =
      switch code {
      case EACCES, EPERM, EROFS:
        ". Please use a path where your app has read-write permissions."
      case EISDIR: ". Give the path of a file inside the directory."
      case ENOTDIR: ": parent path is not a directory"
      case ENOENT: MissingPath.hint(path)
      default: ""
      }
    return "Failed to open Realm file at path '\(path)': \(cause)\(hint)"
  }
}

extension StorageError {
  // The constructors below stay out of line so that the checks in hot code are a compare and a
  // branch.

  @usableFromInline @inline(never)
  static func elementOutOfBounds(_ index: Int, in node: Node) -> StorageError {
    .corrupted("element \(index) was asked of a node of \(node.count) elements")
  }

  @usableFromInline @inline(never)
  static func slotIsNotARef(_ index: Int, in node: Node) -> StorageError {
    .corrupted("slot \(index) of a node should hold a ref")
  }

  @usableFromInline @inline(never)
  static func slotIsNotANumber(_ index: Int, in node: Node) -> StorageError {
    .corrupted("slot \(index) of a node should hold a number")
  }

  /// The error of a leaf whose values overlap or end before they begin.
  @inline(never)
  package static func offsetsOutOfOrder() -> StorageError {
    .corrupted("the offsets of a leaf of bytes are out of order")
  }

  @usableFromInline @inline(never)
  static func refOutOfBounds(_ ref: Ref, in space: NodeSpace) -> StorageError {
    .corrupted("ref \(ref.offset) is misaligned or outside the file's \(space.fileEnd) bytes")
  }

  @usableFromInline @inline(never)
  static func nodeOutOfBounds(
    _ ref: Ref, _ header: NodeHeader, in space: NodeSpace
  ) -> StorageError {
    .corrupted(
      "the node at \(ref.offset) of \(header.nodeByteCount) bytes ends outside the file's "
        + "\(space.fileEnd) bytes")
  }
}
