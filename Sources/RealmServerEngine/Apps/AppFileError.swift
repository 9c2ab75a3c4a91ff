// SPDX-License-Identifier: Apache-2.0

// The errors of reading `app.json`.

/// A mistake in `app.json`, in words for its author.
package struct AppFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
