// SPDX-License-Identifier: Apache-2.0

// An SPI for tests of programs that use Realm: inspects and forces its internal state.

import Foundation
import RealmSession
import RealmStorage

/// Hooks for tests: `@_spi(RealmTesting) import RealmSwift`.
@_spi(RealmTesting)
public enum _RealmTesting {
  /// Called with the message of a misuse before the process traps. It may leave by other means, for
  /// instance by ending the thread.
  public static var trapHook: ((String) -> Void)? {
    get { unsafe RealmSession.trapHook }
    set { unsafe RealmSession.trapHook = newValue }
  }

  /// Forgets all open realms and all that is known of model classes: realms that are opened next
  /// start from scratch, realms in memory as empty ones, whatever their names. Write transactions
  /// that are open where the caller runs are undone. Realms that are still referenced can be read
  /// and written as before, apart from those that are opened next.
  public static func resetState() {
    RealmCache.removeAll()
    MemoryFiles.shared.forgetAll()
    ModelSchema.forgetAll()
  }

  /// Opens a realm in the caller's confinement that is not the one that `Realm()` returns there,
  /// and that cannot be observed. It moves to newer versions by `refresh()` and writing only.
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

  /// The default path of a file of that name, for a configuration without a directory.
  public static func defaultPath(forFile name: String) -> String {
    Realm.Configuration.defaultDirectory.appendingPathComponent(name).path
  }

  /// Computes the pending notifications for observers of the file at `path`, and delivers them to
  /// their confinements, before it returns. The observers are called by their queue, actor or run
  /// loop, or when their realm is refreshed.
  public static func runAsyncNotifiers(atPath path: String) {
    let path = URL(fileURLWithPath: path).standardizedFileURL.path
    for file in SharedFile.openFiles(atPath: path) { file.notifier.runNow() }
  }
}
