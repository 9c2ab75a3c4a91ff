// SPDX-License-Identifier: Apache-2.0

// An app with its services.

#if Server
import RealmServerEngine
import RealmSyncProtocol

/// An app of the server.
struct ServedApp: Sendable {
  /// The file as it was at the start.
  let file: AppFile
  let api: APIApp
  let schema: SchemaKeeper
  let rules: CurrentRules
  let host: ServerHost
  let store: EmbeddedStore
  let upkeep: ServerUpkeep

  /// The rights by a file of the app; nil if each user has all.
  func access(to file: AppFile, in stage: AppStage) -> PartitionAccess? {
    Self.access(to: file, in: stage, users: api.accounts)
  }

  static func access(
    to file: AppFile, in stage: AppStage, users accounts: AccountService
  ) -> PartitionAccess? {
    guard stage == .production else { return nil }
    return PartitionAccess(file.permissions) { (user) throws(SessionRefusal) in
      try await accounts.ruleUser(user)
    }
  }
}
#endif
