// SPDX-License-Identifier: Apache-2.0

// The app of the pages' example about synchronised realms, with its server in the process.

#if Sync
import Foundation
@_spi(RealmTesting) import RealmSwift
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport

class Todo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var owner: String
  @Persisted var status: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
nonisolated let APPID = "todos-" + UUID().uuidString.lowercased()

/// A server in memory, which `App(id: APPID)` finds.
nonisolated final class ExampleServer: Sendable {
  private let server: MemoryAppServer
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    Logger.shared.level = .off
    server = MemoryAppServer(app: APPID, mode: .flexible, directory: directory.path + "/server")
  }

  /// Makes the process the program of a device: it has users and files of its own.
  func become(_ device: String) {
    let (server, folder) = (server, directory.path + "/" + device)
    _RealmTesting.setConfiguration(ofApp: APPID) {
      let configuration = AppConfiguration(baseURL: "http://memory")
      configuration.requests = server
      configuration.socketProvider = server
      configuration.directory = folder
      return configuration
    }
  }

  func stop() { _RealmTesting.setConfiguration(ofApp: APPID, nil) }
}
#endif
