// SPDX-License-Identifier: Apache-2.0

// The randomness of identifiers and tokens, replaced in tests.

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
    String(bytes(count).map { HexDigits.all[Int($0 & 0xF)] })
  }

  /// The form of users, devices and sessions: 24 digits.
  package func identifier() -> String { digits(24) }
}
