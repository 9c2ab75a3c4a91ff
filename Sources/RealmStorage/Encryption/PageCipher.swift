// SPDX-License-Identifier: Apache-2.0

// One page, encrypted and authenticated (file format 2.8): AES-256 in CBC mode
// without padding, and HMAC-SHA-224 over what came out.
//
// Apple's systems have both. Elsewhere the cipher is swift-crypto's; of the code, which it does not
// offer, the digest is ours (`SHA224`). Programs that need no encryption can leave the library out
// by disabling the package's trait `Encryption`.

#if canImport(CommonCrypto)
import CommonCrypto
#elseif Encryption
import Crypto
import _CryptoExtras
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#endif

/// Encrypts and decrypts pages with one key.
struct PageCipher: Sendable {
  #if canImport(CommonCrypto)
  private let key: EncryptionKey

  /// Whether this build can encrypt.
  static let isAvailable = true

  init(_ key: EncryptionKey) { self.key = key }

  /// The authentication code of an encrypted page.
  func code(of page: UnsafeRawPointer) -> PageCode {
    withUnsafeTemporaryAllocation(byteCount: PageCode.byteCount, alignment: 4) { code in
      let secret = key.authenticationKey
      CCHmac(
        CCHmacAlgorithm(kCCHmacAlgSHA224), secret.baseAddress, secret.count, page,
        EncryptedLayout.pageByteCount, code.baseAddress)
      // The allocation is not empty.
      return PageCode(at: UnsafeRawPointer(code.baseAddress!))
    }
  }

  private func crypt(_ page: UnsafeMutableRawPointer, _ vector: [UInt8], _ operation: Int) {
    let count = EncryptedLayout.pageByteCount
    let secret = key.cipherKey
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { output.deallocate() }
    var moved = 0
    let status = CCCrypt(
      CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), 0, secret.baseAddress, secret.count,
      vector, page, count, output.baseAddress, count, &moved)
    precondition(status == kCCSuccess && moved == count, "the system's cipher refused a page")
    // The buffer is not empty.
    page.copyMemory(from: UnsafeRawPointer(output.baseAddress!), byteCount: count)
  }

  /// Encrypts a page where it stands.
  func encrypt(_ page: UnsafeMutableRawPointer, number: Int, counter: UInt32) {
    crypt(page, Self.vector(number, counter), kCCEncrypt)
  }

  /// Decrypts a page where it stands.
  func decrypt(_ page: UnsafeMutableRawPointer, number: Int, counter: UInt32) {
    crypt(page, Self.vector(number, counter), kCCDecrypt)
  }
  #elseif Encryption
  private let key: SymmetricKey
  /// The two digests of an HMAC after the key was taken in.
  private let inner: SHA224
  private let outer: SHA224

  /// Whether this build can encrypt.
  static let isAvailable = true

  init(_ key: EncryptionKey) {
    self.key = unsafe SymmetricKey(data: key.cipherKey)
    inner = unsafe Self.digest(of: key.authenticationKey, mask: 0x36)
    outer = unsafe Self.digest(of: key.authenticationKey, mask: 0x5c)
  }

  /// A digest of one block: the key, filled up with zeros, each byte changed by `mask`.
  private static func digest(of key: UnsafeRawBufferPointer, mask: UInt8) -> SHA224 {
    var digest = SHA224()
    let byteCount = SHA224.blockByteCount
    unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { block in
      for index in 0..<byteCount {
        unsafe block[index] = unsafe (index < key.count ? key[index] : 0) ^ mask
      }
      // The allocation is not empty.
      unsafe digest.update(UnsafeRawPointer(block.baseAddress!), count: 1)
      unsafe block.initializeMemory(as: UInt8.self, repeating: 0)
    }
    return digest
  }

  /// The authentication code of an encrypted page.
  func code(of page: UnsafeRawPointer) -> PageCode {
    var digest = inner
    unsafe digest.update(page, count: EncryptedLayout.pageByteCount / SHA224.blockByteCount)
    let first = unsafe digest.digest(after: UnsafeRawBufferPointer(start: nil, count: 0))
    return unsafe withUnsafeTemporaryAllocation(byteCount: PageCode.byteCount, alignment: 4) {
      bytes in
      // The allocation is not empty.
      unsafe first.store(to: bytes.baseAddress!)
      return unsafe outer.digest(after: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Encrypts a page where it stands.
  func encrypt(_ page: UnsafeMutableRawPointer, number: Int, counter: UInt32) {
    let bytes = unsafe UnsafeRawBufferPointer(start: page, count: EncryptedLayout.pageByteCount)
    unsafe replace(page) { () throws in
      try unsafe AES._CBC.encrypt(
        bytes, using: key, iv: AES._CBC.IV(ivBytes: Self.vector(number, counter)),
        noPadding: true)
    }
  }

  /// Decrypts a page where it stands.
  func decrypt(_ page: UnsafeMutableRawPointer, number: Int, counter: UInt32) {
    let bytes = unsafe UnsafeRawBufferPointer(start: page, count: EncryptedLayout.pageByteCount)
    unsafe replace(page) { () throws in
      try unsafe AES._CBC.decrypt(
        bytes, using: key, iv: AES._CBC.IV(ivBytes: Self.vector(number, counter)),
        noPadding: true)
    }
  }

  /// The library throws for keys, vectors and inputs of wrong lengths only, and all are constant.
  private func replace(_ page: UnsafeMutableRawPointer, with result: () throws -> Data) {
    guard let data = try? result(), data.count == EncryptedLayout.pageByteCount else {
      preconditionFailure("the cipher refused a page")
    }
    unsafe data.withUnsafeBytes { bytes in
      // Not empty, see above.
      unsafe page.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    }
  }
  #else
  /// Whether this build can encrypt; if not, no cipher is made.
  static let isAvailable = false

  init(_ key: EncryptionKey) { preconditionFailure("this build has no cipher") }
  func code(of page: UnsafeRawPointer) -> PageCode { .none }
  func encrypt(_ page: UnsafeMutableRawPointer, number: Int, counter: UInt32) {}
  func decrypt(_ page: UnsafeMutableRawPointer, number: Int, counter: UInt32) {}
  #endif

  /// The initialisation vector of a page: how often it was written, and where it is in the image.
  private static func vector(_ number: Int, _ counter: UInt32) -> [UInt8] {
    var vector = [UInt8](repeating: 0, count: 16)
    let position = UInt64(number) &* UInt64(EncryptedLayout.pageByteCount)
    for index in 0..<4 { vector[index] = UInt8(truncatingIfNeeded: counter &>> (8 * index)) }
    for index in 0..<8 {
      vector[4 + index] = UInt8(truncatingIfNeeded: position &>> (8 * index))
    }
    return vector
  }
}
