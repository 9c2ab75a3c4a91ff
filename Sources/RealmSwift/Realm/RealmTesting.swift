// SPDX-License-Identifier: Apache-2.0

// What tests of programs that use Realm need to see or to force, behind an SPI.

import Foundation
import RealmSession
import RealmStorage

/// Hooks for tests: `@_spi(RealmTesting) import RealmSwift`.
@_spi(RealmTesting)
public enum _RealmTesting {
  /// Called with the text of a misuse before the process ends. It may leave by other means, for
  /// instance by ending the thread.
  public static var trapHook: ((String) -> Void)? {
    get { RealmSession.trapHook }
    set { RealmSession.trapHook = newValue }
  }

  /// Forgets all open realms and all that is known of model classes: what is opened next begins
  /// anew, realms in memory as empty ones, whatever their names. Write transactions that are open
  /// where the caller runs are undone. Realms that somebody still has can be read and written as
  /// before, apart from those that are opened next.
  public static func resetState() {
    RealmCache.removeAll()
    MemoryFiles.shared.forgetAll()
    ModelSchema.forgetAll()
  }

  /// Opens a realm for the caller's place that is not the one that `Realm()` gives there, and that
  /// cannot be observed. It moves to newer versions by `refresh()` and writing only.
  ///
  /// - Throws: `Realm.Error`.
  public static func openUncached(_ configuration: Realm.Configuration) throws -> Realm {
    let core = try RealmOpener(configuration).open(.current)
    core.isReady()
    return Realm(core: core)
  }

  /// Whether fields without `@Persisted` whose types are lists, sets, maps, `RealmProperty` or
  /// `LinkingObjects` are properties even of classes that have properties with it.
  ///
  /// Holds for classes that are first used afterwards, or after `resetState()`.
  public nonisolated(unsafe) static var discoverLegacyGenerics = false
  // nonisolated(unsafe): set by a test before it uses the classes.

  /// Whether any realm of the file at `path` is alive.
  public static func hasCachedRealm(atPath path: String) -> Bool {
    RealmCache.hasCore(atPath: URL(fileURLWithPath: path).standardizedFileURL.path)
  }

  /// Where a file of that name lies if a configuration gives no directory.
  public static func defaultPath(forFile name: String) -> String {
    Realm.Configuration.defaultDirectory.appendingPathComponent(name).path
  }

  /// Computes what observers of the file at `path` are to be told of, and hands it over to where
  /// they live, before it returns. They are called by their queue, actor or run loop, or when their
  /// realm is refreshed.
  public static func runAsyncNotifiers(atPath path: String) {
    let path = URL(fileURLWithPath: path).standardizedFileURL.path
    for file in SharedFile.openFiles(atPath: path) { file.notifier.runNow() }
  }
}
