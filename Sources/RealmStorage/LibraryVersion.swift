// SPDX-License-Identifier: Apache-2.0

// The version of the package: the one place that says it.

/// The version of OpenRealm.
package enum LibraryVersion {
  /// The version as tags name it.
  package static let text = "1.0.0-beta.1"
}
