// SPDX-License-Identifier: Apache-2.0

// A version in use, for people: who reads it, and for how long.

/// A version that readers pin.
package struct HeldVersion: Hashable, Sendable {
  package let version: UInt64
  package internal(set) var readerCount = 0
  /// The processes of these readers, as far as they are known, ascending.
  package internal(set) var processes: [Int32] = []
  /// How long commits of this process have found it in use beside a newer one.
  package internal(set) var heldNanoseconds: UInt64?

  init(_ version: UInt64) { self.version = version }
}
