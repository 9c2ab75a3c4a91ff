// SPDX-License-Identifier: Apache-2.0

// Keeps the library's messages out of the output of tests, which migrate and damage thousands of
// files.

import RealmSwift

/// The log of a process that runs tests.
package enum QuietLog {
  /// Ends the messages of the default logger, at its first use.
  package static let begin: Void = { Logger.shared.level = .off }()
}
