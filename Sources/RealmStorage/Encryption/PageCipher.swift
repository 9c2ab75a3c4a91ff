// SPDX-License-Identifier: Apache-2.0

// One page, encrypted and authenticated (file format 2.8): AES-256 in CBC mode without padding, and
// HMAC-SHA-224 over what came out.
//
// The cipher is a maintained library's: the system's own on Apple's systems, elsewhere OpenSSL's
// libcrypto, which is loaded with the first key. Where there is none, programs have swift-crypto's
// by the package's trait `Encryption`.

/// Encrypts and decrypts pages with one key.
///
/// Threads may use it side by side on different pages.
struct PageCipher: Sendable {
  private let cipher: AnyCipher
  #if canImport(CommonCrypto)
  private let authenticator: CommonCryptoAuthenticator
  #else
  private let authenticator: DigestAuthenticator
  #endif
  private let path: String

  /// The cipher for the file at `path`.
  ///
  /// - Throws: `StorageError.encryptionUnavailable`.
  init(
    _ key: EncryptionKey, path: String, from source: CipherSource = .standard
  ) throws(StorageError) {
    do throws(CipherFailure) {
      cipher = try AnyCipher(key, from: source)
    } catch {
      throw .encryptionUnavailable(path: path, reason: error.reason)
    }
    authenticator = .init(key)
    self.path = path
  }

  /// The authentication code of an encrypted page.
  func code(of page: UnsafeRawPointer) -> PageCode { unsafe authenticator.code(of: page) }

  /// Encrypts a page where it stands.
  ///
  /// - Throws: `StorageError.encryptionUnavailable`; the page is not to be used then.
  func encrypt(
    _ page: UnsafeMutableRawPointer, number: Int, counter: UInt32
  ) throws(StorageError) {
    try unsafe crypt(page, number, counter, .encryption)
  }

  /// Decrypts a page where it stands.
  ///
  /// - Throws: `StorageError.encryptionUnavailable`; the page is not to be used then.
  func decrypt(
    _ page: UnsafeMutableRawPointer, number: Int, counter: UInt32
  ) throws(StorageError) {
    try unsafe crypt(page, number, counter, .decryption)
  }

  private func crypt(
    _ page: UnsafeMutableRawPointer, _ number: Int, _ counter: UInt32, _ direction: CipherDirection
  ) throws(StorageError) {
    do throws(CipherFailure) {
      try unsafe cipher.crypt(
        page, count: EncryptedLayout.pageByteCount, vector: Self.vector(number, counter), direction)
    } catch {
      throw .encryptionUnavailable(path: path, reason: error.reason)
    }
  }

  /// The initialisation vector of a page: how often it was written, and where it is in the image.
  private static func vector(_ number: Int, _ counter: UInt32) -> CipherVector {
    let position = UInt64(number) &* UInt64(EncryptedLayout.pageByteCount)
    return CipherVector(
      counter.littleEndian, UInt32(truncatingIfNeeded: position).littleEndian,
      UInt32(truncatingIfNeeded: position &>> 32).littleEndian, 0)
  }
}
