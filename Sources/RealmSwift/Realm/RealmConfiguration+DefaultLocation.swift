// SPDX-License-Identifier: Apache-2.0

// The default configuration and the default location of realms.

public import Foundation
import RealmStorage

extension Realm.Configuration {
  /// The configuration that `Realm()` uses: `default.realm` in the default directory.
  ///
  /// Setting it changes what later calls of `Realm()` open, on every thread.
  public static var defaultConfiguration: Realm.Configuration {
    get { current.withLock { $0 } ?? Realm.Configuration() }
    set { current.withLock { $0 = newValue } }
  }

  private static let current = Locked<Realm.Configuration?>(nil)

  static let defaultFileName = "default.realm"

  /// `default.realm` in the default directory.
  ///
  /// On Linux that is `$XDG_DATA_HOME/<program>`, or `~/.local/share/<program>` where the variable
  /// is not set to an absolute path; on Apple's platforms the directory that Realm's own SDK uses.
  ///
  /// The directory is made when it is asked for, for its owner alone, so that a file of another
  /// name can be opened in it, too. If that fails, opening a file there throws.
  public static var defaultFileURL: URL? {
    let directory = defaultDirectory
    try? PrivatePlace.makeMissingFolders(directory.path)
    return directory.appendingPathComponent(defaultFileName)
  }

  static var defaultDirectory: URL {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    return URL.documentsDirectory
    #elseif os(macOS)
    let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return URL.applicationSupportDirectory.appendingPathComponent(name)
    #else
    // Of the whole environment this is one variable.
    let data = unsafe getenv("XDG_DATA_HOME").map { unsafe String(cString: $0) } ?? ""
    let root =
      data.hasPrefix("/")
      ? URL(fileURLWithPath: data, isDirectory: true)
      : FileManager.default.homeDirectoryForCurrentUser
        .appendingPathComponent(".local/share", isDirectory: true)
    return root.appendingPathComponent(
      ProcessInfo.processInfo.processName, isDirectory: true)
    #endif
  }
}
