// SPDX-License-Identifier: Apache-2.0

// Notices about an app for the operator, at the start and when its files are applied.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

extension ServerProgram {
  /// The notices about an app's mode and schema.
  static func notices(
    _ stage: AppStage, _ file: AppFile, _ schema: SchemaKeeper, _ directory: ServerDirectory,
    _ options: ServerOptions
  ) -> [String] {
    guard stage == .production else {
      let reach = options.exposedAddress.map { ", also from other machines (\($0))" } ?? ""
      return [
        "The app \(file.id) is in development mode: every user reads and writes everything, "
          + "and devices add classes and properties\(reach)"
      ]
    }
    var notices: [String] = []
    if !file.hasRules {
      let rules = file.mode == .flexible ? "roles" : "permissions"
      notices.append(
        "The app \(file.id) is in production mode without \(rules): no user reads anything")
    }
    for misfit in file.roles.misfits(in: schema.schema) where !schema.schema.isEmpty {
      notices.append("\(directory.appFilePath(file.id)): \(misfit)")
    }
    if schema.schema.isEmpty {
      notices.append(
        "The app \(file.id) is in production mode, and \(directory.schemaPath(file.id)) has no "
          + "classes: devices can make no objects until it has")
    }
    return notices
  }
}
#endif
