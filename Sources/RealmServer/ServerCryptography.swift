// SPDX-License-Identifier: Apache-2.0

// The cryptography of logins, from swift-crypto.

#if Server
import Crypto
import RealmServerEngine

/// The cryptographic library of the server.
struct ServerCryptography: LoginCryptography {
  func digest(of message: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: message)) }

  func signature(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    HMACSigner(key: key).signature(of: message)
  }

  func isSigned(
    _ token: String, by key: VerificationKey, _ algorithm: SigningAlgorithm
  ) -> Bool {
    TokenSignature.isValid(token, by: key, algorithm)
  }

  func isUsable(_ key: VerificationKey, _ algorithm: SigningAlgorithm) -> Bool {
    TokenSignature.isUsable(key, algorithm)
  }
}
#endif
