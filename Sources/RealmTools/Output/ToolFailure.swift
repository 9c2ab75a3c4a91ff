// SPDX-License-Identifier: Apache-2.0

// The one error of commands.

#if Tools
import Foundation
package import RealmStorage

/// The end of a command without success.
package struct ToolFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let status: ExitStatus
  /// The problem and its remedy, in sentences.
  package let message: String

  package init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  package var description: String { message }

  /// Any error of the tools' work, as a command ends with it.
  package init(_ error: any Error) {
    switch error {
    case let failure as ToolFailure: self = failure
    case let error as StorageError: self.init(error)
    case is StatementStop.Stopped:
      self.init(.busy, "The statement was stopped, and has changed nothing.")
    default: self.init(.inputOutput, "\(error)")
    }
  }

  /// An error of the engine, with the command for its remedy.
  package init(_ error: StorageError) {
    switch error {
    case .system(_, let path, ENOENT):
      self.init(.noInput, "There is no file '\(path)'. Check the path.")
    case .system(_, let path, EISDIR):
      self.init(.noInput, "'\(path)' is a directory. Give the path of a file inside it.")
    case .system, .poisoned: self.init(.inputOutput, "\(error)")
    case .corrupted:
      self.init(
        .badData,
        "\(error) Run 'realm check' to see what is damaged, and 'realm salvage' to save the rest.")
    case .notADatabase(let path, let reason):
      let hint = reason.contains("encrypted Realm file") || reason.contains("is encrypted")
      self.init(
        .badData,
        "'\(path)' cannot be opened: \(reason)"
          + (hint ? " The key is given with --key-file." : ""))
    case .formatUpgradeRequired(let path, let version):
      self.init(
        .badData,
        "'\(path)' is in the older format \(version), which is read and not written. Run 'realm "
          + "upgrade \(path)' first; for a file of a synchronised app, 'realm copy \(path) OUT'.")
    case .unsupportedFormat(let path, let version):
      self.init(
        .badData, "'\(path)' is in format \(version). \(error.formatRemedy ?? "\(error)")")
    case .unsupportedHistory(let path, let version):
      self.init(
        .badData,
        "'\(path)' belongs to a synchronised app, and its history is in form \(version), which "
          + "cannot be continued. Read it, or write to a copy made with 'realm copy'.")
    case .incompatibleHistory(let path, _, _):
      self.init(
        .badData,
        "'\(path)' belongs to a synchronised app, so a tool must not write to it. Write with the "
          + "app, or to a copy made with 'realm copy'.")
    case .incompatibleLockFile: self.init(.busy, "\(error)")
    case .encryptionUnavailable: self.init(.unavailable, "\(error)")
    default: self.init(.badData, "\(error)")
    }
  }

  /// A useless query, name or value on the command line.
  package static func usage(_ message: String) -> ToolFailure { ToolFailure(.usage, message) }

  /// Useless contents of a file.
  package static func badData(_ message: String) -> ToolFailure { ToolFailure(.badData, message) }
}
#endif
