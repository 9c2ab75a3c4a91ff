// SPDX-License-Identifier: Apache-2.0

// Which library the cipher of encrypted files comes from.

/// Where a cipher is looked for. Apple's systems have one, whatever is said here.
package struct CipherSource: Hashable, Sendable {
  /// The names under which libcrypto is looked for, in this order; nil for its usual ones.
  var names: [String]?
  /// Whether swift-crypto stands in for a libcrypto that is missing. It does in programs that are
  /// built with the package's trait `Encryption`.
  var hasSubstitute = true

  /// What a program gets that says nothing.
  package static let standard = CipherSource()
}
