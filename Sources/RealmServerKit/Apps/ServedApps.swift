// SPDX-License-Identifier: Apache-2.0

// The apps of the server, which come and go with their folders while it runs.

#if Server
import NIOConcurrencyHelpers
import RealmServerEngine
import RealmServerServices

/// The apps that are served at present.
final class ServedApps: Sendable {
  private let apps: NIOLockedValueBox<[String: ServedApp]>

  init(_ apps: [ServedApp]) {
    self.apps = NIOLockedValueBox(
      Dictionary(apps.map { ($0.file.id, $0) }, uniquingKeysWith: { $1 }))
  }

  /// All apps, by their ids.
  var all: [ServedApp] {
    apps.withLockedValue { Array($0.values) }.sorted { $0.file.id < $1.file.id }
  }

  /// The app of an id; nil if it is not served.
  subscript(id: String) -> ServedApp? { apps.withLockedValue { $0[id] } }

  func add(_ app: ServedApp) { apps.withLockedValue { $0[app.file.id] = app } }

  func remove(_ id: String) { apps.withLockedValue { $0[id] = nil } }
}
#endif
