// SPDX-License-Identifier: Apache-2.0

// The authentication codes by the library of Apple's systems.

#if canImport(CommonCrypto)
import CommonCrypto

/// The codes of Apple's systems.
struct CommonCryptoAuthenticator: PageAuthenticator {
  private let key: EncryptionKey

  init(_ key: EncryptionKey) { self.key = key }

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
#endif
