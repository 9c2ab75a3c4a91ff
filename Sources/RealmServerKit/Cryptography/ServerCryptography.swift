// SPDX-License-Identifier: Apache-2.0

// The cryptography of logins, from swift-crypto.

#if Server
import Crypto
import RealmServerEngine
package import RealmServerServices

/// The cryptographic library of the server.
package struct ServerCryptography: LoginCryptography {
  package init() {}

  package func digest(of message: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: message)) }

  package func signature(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    HMACSigner(key: key).signature(of: message)
  }

  package func isSigned(
    _ token: String, by key: VerificationKey, _ algorithm: SigningAlgorithm
  ) -> Bool {
    TokenSignature.isValid(token, by: key, algorithm)
  }

  package func isUsable(_ key: VerificationKey, _ algorithm: SigningAlgorithm) -> Bool {
    TokenSignature.isUsable(key, algorithm)
  }
}
#endif
