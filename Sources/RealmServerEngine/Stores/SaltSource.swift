// SPDX-License-Identifier: Apache-2.0

// The randomness of the server, replaced in tests.

import RealmStorage

/// Gives the salts of versions and client files: random numbers of 63 bits, never 0.
package final class SaltSource: Sendable {
  private let generator: Locked<any RandomNumberGenerator & Sendable>

  package init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
    self.generator = Locked(generator)
  }

  package func next() -> UInt64 {
    generator.withLock { generator in
      while true {
        let salt = generator.next() >> 1
        if salt != 0 { return salt }
      }
    }
  }
}
