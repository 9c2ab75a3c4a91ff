// SPDX-License-Identifier: Apache-2.0

// The cipher of whichever library there is.

/// The cipher of the library that was found, with one key.
enum AnyCipher: BlockCipher {
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
