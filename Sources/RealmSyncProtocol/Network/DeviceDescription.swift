// SPDX-License-Identifier: Apache-2.0

// The device, as a login tells the server of it (P1 A.2).

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
}
