// SPDX-License-Identifier: Apache-2.0

// Signatures of tokens, computed by another module.

/// Signs messages with a key of the server.
package protocol MessageSigner: Sendable {
  /// The HMAC with SHA-256 of a message: 32 bytes.
  func signature(of message: [UInt8]) -> [UInt8]
}

extension MessageSigner {
  /// Whether a signature fits a message.
  func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    ConstantTime.areEqual(signature, self.signature(of: message))
  }
}
