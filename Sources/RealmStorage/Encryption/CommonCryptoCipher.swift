// SPDX-License-Identifier: Apache-2.0

// The cipher of Apple's systems.

#if canImport(CommonCrypto)
import CommonCrypto

/// AES-256-CBC of CommonCrypto with one key.
struct CommonCryptoCipher: BlockCipher {
  private let key: EncryptionKey

  init(_ key: EncryptionKey) { self.key = key }

  func crypt(
    _ bytes: UnsafeMutableRawPointer, count: Int, vector: CipherVector,
    _ direction: CipherDirection
  ) throws(CipherFailure) {
    let secret = unsafe key.cipherKey
    let operation = direction == .encryption ? kCCEncrypt : kCCDecrypt
    var moved = 0
    // The library allows that the output is the input.
    let status = unsafe withUnsafeBytes(of: vector) { vector in
      unsafe CCCrypt(
        CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), 0, secret.baseAddress, secret.count,
        vector.baseAddress, bytes, count, bytes, count, &moved)
    }
    guard status == kCCSuccess, moved == count else {
      throw CipherFailure(reason: "the system's cipher refuses a page, with status \(status).")
    }
  }
}
#endif
