// SPDX-License-Identifier: Apache-2.0

// A version in use, for people: who reads it, and for how long.

/// A version that readers pin.
package struct HeldVersion: Hashable, Sendable {
  /// Somebody who keeps the version for longer than a read takes: a session, a backup, a check.
  package struct Holder: Hashable, Sendable {
    /// The process; 0 if it is not known.
    package let process: Int32
    /// The thread, as the system's tools number it.
    package let thread: UInt64
    package let use: VersionUse
    /// How long ago it took the version.
    package let heldNanoseconds: UInt64
  }

  package let version: UInt64
  package internal(set) var readerCount = 0
  /// The processes of these readers, as far as they are known, ascending.
  package internal(set) var processes: [Int32] = []
  /// Who keeps it for long, as far as it is known, the longest first.
  package internal(set) var holders: [Holder] = []
  /// How long commits of this process have found it in use beside a newer one.
  package internal(set) var heldNanoseconds: UInt64?

  init(_ version: UInt64) { self.version = version }
}
