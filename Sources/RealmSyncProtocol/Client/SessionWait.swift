// SPDX-License-Identifier: Apache-2.0

// What an app waits for.

/// A wait for the completion of a direction.
package enum SessionWait: Hashable, Sendable {
  /// Everything that was written when the wait began is on the server.
  case upload
  /// Everything that the server had when the wait began is in the file.
  case download
}
