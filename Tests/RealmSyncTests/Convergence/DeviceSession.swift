// SPDX-License-Identifier: Apache-2.0

// A device of a convergence run, with the messages that are on their way.

import RealmSync
import RealmSyncProtocol
import RealmTestSupport

/// The session of a device.
struct DeviceSession {
  let device: TestDevice
  let suffix: String
  var writer: RandomWriter
  var ident: FileIdentifier?
  var isOnline = false
  var scanned: UInt64 = 0
  /// The server version up to which messages were sent to the device.
  var sent: UInt64 = 0
  var uploads: [UploadBatch] = []
  var downloads: [Download] = []

  /// Loses everything that is on its way.
  mutating func disconnect() {
    isOnline = false
    uploads = []
    downloads = []
  }
}
