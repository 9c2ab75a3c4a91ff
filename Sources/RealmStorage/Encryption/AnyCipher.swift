// SPDX-License-Identifier: Apache-2.0

// The cipher of whichever library there is.

/// The 16 bytes that a cipher begins with, as they stand in memory.
typealias CipherVector = SIMD4<UInt32>

/// What a cipher does.
enum CipherDirection: Sendable {
  case encryption, decryption
}

/// Why there is no cipher, or why it refuses a page.
struct CipherFailure: Error {
  /// Sentences for the user, with the remedy.
  let reason: String
}

/// AES-256 in CBC mode without padding, with one key.
enum AnyCipher: Sendable {
  #if canImport(CommonCrypto)
  case system(CommonCryptoCipher)
  #else
  case system(LibcryptoCipher)
  #if Encryption
  case bundled(BundledCipher)
  #endif
  #endif

  init(_ key: EncryptionKey, from source: CipherSource) throws(CipherFailure) {
    #if canImport(CommonCrypto)
    self = .system(CommonCryptoCipher(key))
    #else
    do throws(CipherFailure) {
      self = .system(try LibcryptoCipher(key, Libcrypto.found(by: source)))
    } catch {
      #if Encryption
      guard source.hasSubstitute else { throw error }
      self = .bundled(BundledCipher(key))
      #else
      throw error
      #endif
    }
    #endif
  }

  /// Encrypts or decrypts `count` bytes, a multiple of 16, where they stand.
  ///
  /// - Throws: `CipherFailure` if the library refuses, which it has no reason for; the bytes are
  ///   not to be used then.
  func crypt(
    _ bytes: UnsafeMutableRawPointer, count: Int, vector: CipherVector,
    _ direction: CipherDirection
  ) throws(CipherFailure) {
    switch self {
    case .system(let cipher):
      try unsafe cipher.crypt(bytes, count: count, vector: vector, direction)
    #if !canImport(CommonCrypto) && Encryption
    case .bundled(let cipher):
      try unsafe cipher.crypt(bytes, count: count, vector: vector, direction)
    #endif
    }
  }
}
