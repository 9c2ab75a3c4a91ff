// SPDX-License-Identifier: Apache-2.0

// What tests of programs that use Realm need to see or to force, behind an SPI.

import Foundation

/// Hooks for tests: `@_spi(RealmTesting) import RealmSwift`.
@_spi(RealmTesting)
public enum _RealmTesting {
  /// Called with the text of a misuse before the process ends. It may leave by other means, for
  /// instance by ending the thread.
  public nonisolated(unsafe) static var trapHook: ((String) -> Void)?
  // nonisolated(unsafe): set by a test before it starts what may trap, read once by the thread that
  // is about to end the process.

  /// Forgets all open realms: later opens make new ones, also where old ones are still alive.
  public static func resetState() { RealmCache.removeAll() }

  /// Whether any realm of the file at `path` is alive.
  public static func hasCachedRealm(atPath path: String) -> Bool {
    RealmCache.hasCore(atPath: URL(fileURLWithPath: path).standardizedFileURL.path)
  }

  /// Where a file of that name lies if a configuration gives no directory.
  public static func defaultPath(forFile name: String) -> String {
    Realm.Configuration.defaultDirectory.appendingPathComponent(name).path
  }
}
