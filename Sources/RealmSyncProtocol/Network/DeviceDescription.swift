// SPDX-License-Identifier: Apache-2.0

// The description of the device in a login (P1 A.2).

package import RealmFormats

/// The device as the server's operator sees it.
package struct DeviceDescription: Hashable, Sendable {
  package static let libraryName = "OpenRealm"
  package static let libraryVersion = "1.0.0"

  package var platform: String
  package var platformVersion: String
  package var deviceName: String
  package var deviceVersion: String
  package var bundleID: String

  package init(
    platform: String = "", platformVersion: String = "", deviceName: String = "",
    deviceVersion: String = "", bundleID: String = ""
  ) {
    self.platform = platform
    self.platformVersion = platformVersion
    self.deviceName = deviceName
    self.deviceVersion = deviceVersion
    self.bundleID = bundleID
  }

  /// The document of a login. `id` is from the answer to an earlier login.
  package func json(app: String, id: String?) -> JSONValue {
    let texts = [
      ("appId", app), ("platform", platform), ("platformVersion", platformVersion),
      ("sdk", Self.libraryName), ("sdkVersion", Self.libraryVersion), ("cpuArch", Self.processor),
      ("deviceName", deviceName), ("deviceVersion", deviceVersion), ("frameworkName", ""),
      ("frameworkVersion", ""), ("coreVersion", Self.libraryVersion), ("bundleId", bundleID),
    ]
    var members = texts.map { JSONMember($0.0, .string($0.1)) }
    if let id { members.append(JSONMember("deviceId", .string(id))) }
    return .object(members)
  }

  private static var processor: String {
    #if arch(x86_64)
    "x86_64"
    #elseif arch(arm64)
    "arm64"
    #else
    "other"
    #endif
  }
}
