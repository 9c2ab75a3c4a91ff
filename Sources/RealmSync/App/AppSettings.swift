// SPDX-License-Identifier: Apache-2.0

// The settings of an app's client.

package import RealmSyncProtocol

/// The constant properties of an app.
package struct AppSettings: Hashable, Sendable {
  package static let usualBaseURL = "https://services.cloud.mongodb.com"

  package var id: String
  /// Without a slash at its end.
  package var baseURL: String
  package var requestTimeout: Milliseconds
  package var device: DeviceDescription

  /// Whether the app asks for encryption; no answer takes it away.
  var isSecure: Bool { baseURL.lowercased().hasPrefix("https://") }

  package init(
    id: String, baseURL: String = usualBaseURL, requestTimeout: Milliseconds = 60_000,
    device: DeviceDescription = DeviceDescription()
  ) {
    self.id = id
    var baseURL = baseURL
    while baseURL.hasSuffix("/") { baseURL.removeLast() }
    self.baseURL = baseURL
    self.requestTimeout = requestTimeout
    self.device = device
  }

  /// The settings with another address.
  func moved(to baseURL: String) -> AppSettings {
    AppSettings(id: id, baseURL: baseURL, requestTimeout: requestTimeout, device: device)
  }
}
