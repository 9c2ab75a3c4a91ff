// SPDX-License-Identifier: Apache-2.0

// The identity of an object whose class has no primary key.

/// A key of two numbers: the file of the object's creation, and a counter of the file's table.
package struct GlobalKey: Hashable, Sendable {
  /// The file identifier of the creator; 0 while the creator does not know its own.
  package var high: UInt64
  /// The counter.
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
