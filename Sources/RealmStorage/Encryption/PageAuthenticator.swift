// SPDX-License-Identifier: Apache-2.0

// What all that computes authentication codes has in common.

/// Computes the authentication codes of pages with one key: HMAC-SHA-224 (RFC 2104, file format
/// 2.8.1).
protocol PageAuthenticator: Sendable {
  /// The code of an encrypted page.
  func code(of page: UnsafeRawPointer) -> PageCode
}
