// SPDX-License-Identifier: Apache-2.0

// The cipher of swift-crypto, for programs that run where no libcrypto is: linked statically, or in
// a container that has nothing but the program.

#if !canImport(CommonCrypto) && Encryption
import Crypto
import _CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// AES-256-CBC of swift-crypto with one key.
struct BundledCipher: BlockCipher {
  private let key: SymmetricKey

  init(_ key: EncryptionKey) { self.key = unsafe SymmetricKey(data: key.cipherKey) }

  func crypt(
    _ bytes: UnsafeMutableRawPointer, count: Int, vector: CipherVector,
    _ direction: CipherDirection
  ) throws(CipherFailure) {
    let input = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    let result: Data
    do {
      let start = try unsafe withUnsafeBytes(of: vector) {
        try unsafe AES._CBC.IV(ivBytes: Array($0))
      }
      result =
        switch direction {
        case .encryption:
          try unsafe AES._CBC.encrypt(input, using: key, iv: start, noPadding: true)
        case .decryption:
          try unsafe AES._CBC.decrypt(input, using: key, iv: start, noPadding: true)
        }
    } catch {
      throw CipherFailure(reason: "the cipher of swift-crypto refuses a page: \(error).")
    }
    guard result.count == count else {
      throw CipherFailure(reason: "the cipher of swift-crypto returns \(result.count) bytes.")
    }
    unsafe result.copyBytes(to: UnsafeMutableRawBufferPointer(start: bytes, count: count))
  }
}
#endif
