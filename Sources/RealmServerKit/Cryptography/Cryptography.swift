// SPDX-License-Identifier: Apache-2.0

// Signatures and hashes, from swift-crypto.

#if Server
import Crypto
import Foundation
import RealmServerEngine
import RealmServerServices
import _CryptoExtras

/// HMAC with SHA-256.
struct HMACSigner: MessageSigner {
  private let key: SymmetricKey

  init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

  func signature(of message: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
  }
}

/// The function scrypt: 16 MiB and about 50 ms a password.
struct ScryptHasher: PasswordHasher {
  func hash(_ password: [UInt8], salt: [UInt8]) throws -> [UInt8] {
    let key = try KDF.Scrypt.deriveKey(
      from: password, salt: salt, outputByteCount: 32, rounds: 1 << 14, blockSize: 8,
      parallelism: 1)
    return unsafe key.withUnsafeBytes { unsafe Array($0) }
  }
}
#endif
