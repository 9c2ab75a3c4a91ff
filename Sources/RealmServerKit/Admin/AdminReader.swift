// SPDX-License-Identifier: Apache-2.0

// The files of realms as the server's page asks for them.

#if Server
import RealmFormats
import RealmPages
import RealmServerEngine
import RealmServerServices
import RealmStorage

/// Reads what the files of realms have, on a thread that may wait for the disk.
actor AdminReader {
  /// The most realms of an answer.
  static let realmCountMax = 100

  private let files: InspectedFiles
  private let directory: String
  private nonisolated let thread = ThreadExecutor(named: "realm-admin")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  init(directory: String) {
    files = InspectedFiles(directory: directory)
    self.directory = directory
  }

  /// The file of an app as it is now.
  func file(of app: String) throws(PageFailure) -> AppFile {
    do throws(ServerFailure) {
      return try ServerDirectory(existing: directory).app(app)
    } catch {
      throw PageFailure(500, error.description)
    }
  }

  /// Some realms of an app, and the number of all.
  func realms(ofApp app: String, from start: Int) throws(PageFailure) -> JSONValue {
    do throws(StoreError) {
      let all = try files.realms(ofApp: app)
      var list: [JSONValue] = []
      for realm in all.dropFirst(start).prefix(Self.realmCountMax) {
        let facts = try files.facts(of: realm)
        let devices = facts.clients.filter { !$0.isExpired }
        list.append(
          .object(
            facts.members + [
              JSONMember("devices", JSONValue(devices.count)),
              JSONMember("expired", JSONValue(facts.clients.count - devices.count)),
            ]))
      }
      return ["count": JSONValue(all.count), "start": JSONValue(start), "realms": .array(list)]
    } catch {
      throw PageFailure(500, "A realm cannot be read: \(error)")
    }
  }
}
#endif
