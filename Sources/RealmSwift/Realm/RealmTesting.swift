// SPDX-License-Identifier: Apache-2.0

// What tests of programs that use Realm need to see or to force, behind an SPI.

/// Hooks for tests: `@_spi(RealmTesting) import RealmSwift`.
@_spi(RealmTesting)
public enum _RealmTesting {
  /// Called with the text of a misuse before the process ends. It may leave by other means, for
  /// instance by ending the thread.
  public nonisolated(unsafe) static var trapHook: ((String) -> Void)?
  // nonisolated(unsafe): set by a test before it starts what may trap, read once by the thread that
  // is about to end the process.
}
