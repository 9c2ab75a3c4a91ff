// SPDX-License-Identifier: Apache-2.0

// The authentication codes of pages: HMAC-SHA-224 (RFC 2104, file format 2.8.1).
//
// Apple's systems have it. Elsewhere the digest is ours (`SHA224`), and the two digests of the key
// are computed once for all pages.

#if canImport(CommonCrypto)
import CommonCrypto

/// Computes codes with one key.
struct PageAuthenticator: Sendable {
  private let key: EncryptionKey

  init(_ key: EncryptionKey) { self.key = key }

  /// The code of an encrypted page.
  func code(of page: UnsafeRawPointer) -> PageCode {
    unsafe withUnsafeTemporaryAllocation(byteCount: PageCode.byteCount, alignment: 4) { code in
      let secret = unsafe key.authenticationKey
      unsafe CCHmac(
        CCHmacAlgorithm(kCCHmacAlgSHA224), secret.baseAddress, secret.count, page,
        EncryptedLayout.pageByteCount, code.baseAddress)
      // The allocation is not empty.
      return unsafe PageCode(at: UnsafeRawPointer(code.baseAddress!))
    }
  }
}
#else
/// Computes codes with one key.
struct PageAuthenticator: Sendable {
  /// The two digests of an HMAC after the key was taken in.
  private let inner: SHA224
  private let outer: SHA224

  init(_ key: EncryptionKey) {
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

  /// The code of an encrypted page.
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
}
#endif
