// SPDX-License-Identifier: Apache-2.0

// Errors about commits that returned before the disk had them, and that it refused.

import RealmStorage

/// Logs what the engine could not settle: no caller waits for the error any more.
enum UnsettledVersionLog {
  /// Begins with the first file that is opened.
  static let begin: Void = UnsettledVersions.onFailure { failure in
    Logger.log(.error, message(about: failure))
  }

  static func message(about failure: UnsettledVersions) -> String {
    let first = failure.versions.lowerBound
    let last = failure.versions.upperBound
    let versions = first == last ? "Version \(first)" : "Versions \(first) to \(last)"
    return "\(versions) of '\(failure.path)' could not be settled. What was committed with the "
      + "durability 'deferred', and the disk did not take, is lost. Close all realms of the file "
      + "and open it again: the newest version that is whole is found. The reason: \(failure.error)"
  }
}
