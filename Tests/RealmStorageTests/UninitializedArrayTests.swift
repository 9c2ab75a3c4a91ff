// SPDX-License-Identifier: Apache-2.0

// Arrays whose elements are written where they will stay.

import TestExtensions
import Testing

@testable import RealmStorage

struct UninitializedArrayTests {
  @Test func allElementsAreThoseThatWereWritten() {
    let array = [Int](count: 1000) { buffer in
      for index in buffer.indices { buffer[index] = index * 3 }
    }
    expectEqual(array, (0..<1000).map { $0 * 3 })
  }

  /// The standard library would write to the storage that all empty arrays share.
  @Test func nothingIsWrittenForAnEmptyArray() {
    var wasCalled = false
    let array = [Int](count: 0) { _ in wasCalled = true }
    expectTrue(array.isEmpty)
    expectFalse(wasCalled)
  }
}
