// SPDX-License-Identifier: Apache-2.0

// What an app's client is made with.

package import RealmSyncProtocol

/// The properties of an app that do not change while it runs.
package struct AppSettings: Hashable, Sendable {
  package static let usualBaseURL = "https://services.cloud.mongodb.com"

  package var id: String
  /// Without a slash at its end.
  package var baseURL: String
  package var requestTimeout: Milliseconds
  package var device: DeviceDescription

  /// Whether the app asks for encryption, which no answer takes away.
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
}
