// SPDX-License-Identifier: Apache-2.0

// The file that a realm has from a former service.

#if Sync
public import Foundation
import RealmSync

extension SyncConfiguration {
  /// A file that another service has synchronised, such as Atlas Device Sync, and that goes on with
  /// this app's server.
  ///
  /// ```swift
  /// var configuration = user.flexibleSyncConfiguration()
  /// configuration.syncConfiguration?.formerFile = .atlas(appID: "todos-abcde")
  /// ```
  ///
  /// When the realm is opened on a device that has the former file, and none of this app yet, the
  /// file is copied. The first session brings its content to the server: objects that the server
  /// lacks, and changes that were never uploaded. The former file stays beside its place, with the
  /// suffix `.adopted`. On other devices nothing happens, so the line can stay in the program.
  /// A file that was made to be shipped with an app keeps its name.
  public struct FormerFile: Hashable, Sendable {
    enum Place: Hashable {
      case file(String)
      case atlas(app: String, user: String?, directory: String?)
    }

    let place: Place

    /// A file at a place that the program knows.
    ///
    /// Traps unless the URL is that of a file.
    public static func file(_ url: URL) -> FormerFile {
      FormerFile(place: .file(url.realmFilePath))
    }

    /// The file of the same realm that Realm's own SDK has synchronised with an app of Atlas.
    ///
    /// - Parameters:
    ///   - appID: The id of the former app. The present one may have the same.
    ///   - userID: The id of the former user; nil for the only one who has such a file on this
    ///     device. `userIDs(ofAtlasApp:in:)` has all of them.
    ///   - directory: The folder that has the folder `mongodb-realm`; nil for the one where both
    ///     SDKs keep their files.
    public static func atlas(
      appID: String, userID: String? = nil, directory: URL? = nil
    ) -> FormerFile {
      FormerFile(
        place: .atlas(app: appID, user: userID, directory: directory?.realmFilePath))
    }

    /// The users of a former app who have files on this device, whose ids they had there.
    ///
    /// - Parameters:
    ///   - appID: The id of the former app.
    ///   - directory: The folder that has the folder `mongodb-realm`; nil for the usual one.
    public static func userIDs(
      ofAtlasApp appID: String, in directory: URL? = nil
    ) -> [String] {
      let base = directory?.realmFilePath ?? Realm.Configuration.defaultDirectory.path
      let folder = SyncPaths(base: base, app: appID).directory
      return folders(in: folder).filter { name in
        let files = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")
        return files?.contains { $0.hasSuffix(".realm") } ?? false
      }
    }

    private static let otherFolders: Set<String> = ["server-utility", "recovered-realms"]

    /// The folders of users in the folder of an app.
    private static func folders(in folder: String) -> [String] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.filter { !otherFolders.contains($0) && !$0.hasPrefix(".") }.sorted()
    }

    /// The path of the file; nil if there is none on this device.
    ///
    /// - Parameters:
    ///   - partition: The name of the partition in names of files; nil in flexible mode.
    ///   - base: The folder of the app's files.
    ///   - path: The file of the realm itself.
    func path(
      partition: String?, base: String, for path: String
    ) throws(Realm.Error) -> String? {
      let app: String
      let user: String?
      let directory: String?
      switch place {
      case .file(let path): return FileManager.default.fileExists(atPath: path) ? path : nil
      case .atlas(let id, let name, let folder): (app, user, directory) = (id, name, folder)
      }
      let paths = SyncPaths(base: directory ?? base, app: app)
      let users = user.map { [$0] } ?? Self.folders(in: paths.directory)
      let found = users.compactMap { user in
        paths.formerRealms(user: user, partition: partition)
          .first { FileManager.default.fileExists(atPath: $0) }
          .map { (user: user, path: $0) }
      }
      guard found.count < 2 else {
        throw Realm.Error(
          .invalidInput,
          message: "Several users of app '\(app)' have a file for '\(path)': "
            + "\(found.map(\.user).joined(separator: ", ")). Name the one whose file it is, with "
            + "`.atlas(appID:userID:)`.",
          path: path)
      }
      return found.first?.path
    }
  }
}
#endif
