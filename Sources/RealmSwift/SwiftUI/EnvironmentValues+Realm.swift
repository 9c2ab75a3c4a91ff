// SPDX-License-Identifier: Apache-2.0

// The realm of the views in the environment of SwiftUI.

#if canImport(SwiftUI)
import RealmSession
public import SwiftUI

private struct RealmConfigurationKey: EnvironmentKey {
  static var defaultValue: Realm.Configuration { .defaultConfiguration }
}

extension EnvironmentValues {
  /// The configuration of the realm of views that are given no other.
  public var realmConfiguration: Realm.Configuration {
    get { self[RealmConfigurationKey.self] }
    set { self[RealmConfigurationKey.self] = newValue }
  }

  /// The realm of `realmConfiguration`. Traps if it cannot be opened.
  public var realm: Realm {
    get {
      do {
        return try Realm(configuration: realmConfiguration)
      } catch { throwRealmException("The Realm cannot be opened: \(error)") }
    }
    set { realmConfiguration = newValue.configuration }
  }
}
#endif
