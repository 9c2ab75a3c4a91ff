// SPDX-License-Identifier: Apache-2.0

// The contexts of the cipher of libcrypto.

#if !canImport(CommonCrypto)
import Dispatch
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct LibcryptoCipherTests {
  /// `LibcryptoCipher` 2.
  @Test func thereAreAsManyContextsAsThreadsAtATime() throws {
    let cipher = try LibcryptoCipher(TestKeys.vector(), Libcrypto.found(by: .standard))
    @Sendable func crypt(_ direction: CipherDirection) {
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { page in
        page.initializeMemory(as: UInt8.self, repeating: 1)
        guard let start = page.baseAddress else { return }
        #expect(throws: Never.self) {
          try cipher.crypt(start, count: page.count, vector: [1, 2, 3, 4], direction)
        }
      }
    }
    for direction in [CipherDirection.encryption, .decryption] {
      for _ in 0..<20 { crypt(direction) }
      expectEqual(cipher.idleCount(direction), 1)
      DispatchQueue.concurrentPerform(iterations: 3) { _ in
        for _ in 0..<50 { crypt(direction) }
      }
      expectTrue((1...3).contains(cipher.idleCount(direction)))
    }
  }
}
#endif
