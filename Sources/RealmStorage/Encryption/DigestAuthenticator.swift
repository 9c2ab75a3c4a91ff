// SPDX-License-Identifier: Apache-2.0

// The authentication codes without a library.

#if !canImport(CommonCrypto)
/// The codes by our own digest (`SHA224`). The two digests of the key are computed once for all
/// pages.
struct DigestAuthenticator: PageAuthenticator {
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
