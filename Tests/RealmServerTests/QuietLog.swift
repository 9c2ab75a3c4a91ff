// SPDX-License-Identifier: Apache-2.0

// Keeps the messages of devices out of the output of tests, whose servers come and go.

#if Server
import RealmSwift

/// The log of the devices in a process that runs tests.
enum QuietLog {
  /// Ends the messages of the default logger, at its first use.
  static let begin: Void = { Logger.shared.level = .off }()
}
#endif
