// SPDX-License-Identifier: Apache-2.0

// Warnings about versions that are kept for long.

import RealmStorage

/// Logs what the engine says about old versions.
enum HeldVersionLog {
  /// Begins with the first file that is opened.
  static let begin: Void = HeldVersions.onWarning { warning in
    Logger.log(.warn, message(about: warning))
  }

  static func message(about warning: HeldVersions.Warning) -> String {
    let processes = warning.processes.map(String.init).joined(separator: ", ")
    return "Version \(warning.version) of '\(warning.path)' has been in use for "
      + "\(warning.heldNanoseconds / 1_000_000_000) seconds, by process "
      + "\(processes.isEmpty ? "unknown" : processes), while "
      + "\(warning.newestVersion - min(warning.version, warning.newestVersion)) newer ones were "
      + "written: the file grows until it is released. \(holders(of: warning))Release frozen "
      + "objects and results that are not needed, and refresh realms."
  }

  /// The most holders that a message names.
  private static let namedCountMax = 3

  /// Who keeps the version, as a sentence; empty if no reader is known.
  private static func holders(of warning: HeldVersions.Warning) -> String {
    let named = warning.holders.prefix(namedCountMax).map { holder in
      "\(holder.use.call) on thread \(holder.thread) of process \(holder.process), "
        + "\(holder.heldNanoseconds / 1_000_000_000) seconds ago"
    }
    guard !named.isEmpty else { return "" }
    let rest = warning.holders.count - named.count
    return "It was taken by " + named.joined(separator: "; by ")
      + (rest > 0 ? "; and by \(rest) more. " : ". ")
  }
}
