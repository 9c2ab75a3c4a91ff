// SPDX-License-Identifier: Apache-2.0

// The failures of ciphers.

/// Why there is no cipher, or why it refuses a page.
struct CipherFailure: Error {
  /// Sentences for the user, with the remedy.
  let reason: String
}
