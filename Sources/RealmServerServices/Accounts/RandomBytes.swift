// SPDX-License-Identifier: Apache-2.0

// The randomness of identifiers and tokens, replaced in tests.

#if Server
import RealmStorage

/// Makes random identifiers.
package final class RandomBytes: Sendable {
  private let generator: Locked<any RandomNumberGenerator & Sendable>

  package init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
    self.generator = Locked(generator)
  }

  /// Random bytes.
  package func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in
      (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
  }

  /// Random hexadecimal digits.
  package func digits(_ count: Int) -> String {
    bytes(count).map { String($0 & 0xF, radix: 16) }.joined()
  }

  /// The form of users, devices and sessions: 24 digits.
  package func identifier() -> String { digits(24) }

  /// Whether a text has the form of `identifier()`.
  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 24 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}
#endif
