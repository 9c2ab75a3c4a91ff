// SPDX-License-Identifier: Apache-2.0

// What the ciphers of all libraries have in common.

/// The 16 bytes that a cipher begins with, as they stand in memory.
typealias CipherVector = SIMD4<UInt32>

/// What a cipher does.
enum CipherDirection: Sendable {
  case encryption, decryption
}

/// AES-256 in CBC mode without padding, with one key, of one library.
///
/// Threads may use it side by side.
protocol BlockCipher: Sendable {
  /// Encrypts or decrypts `count` bytes, a multiple of 16, where they stand.
  ///
  /// - Throws: `CipherFailure` if the library refuses, which it has no reason for; the bytes are
  ///   not to be used then.
  func crypt(
    _ bytes: UnsafeMutableRawPointer, count: Int, vector: CipherVector,
    _ direction: CipherDirection
  ) throws(CipherFailure)
}
