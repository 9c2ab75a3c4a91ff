// SPDX-License-Identifier: Apache-2.0

// An app with its services.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

/// An app of the server.
struct ServedApp: Sendable {
  /// The file as it was at the start.
  let file: AppFile
  let api: APIApp
  let schema: SchemaKeeper
  let rules: CurrentRules
  let host: ServerHost
  let store: any ServerStore
  let upkeep: ServerUpkeep
  /// The folder with the files that are open.
  let folder: FolderIdentity?
  /// The custom data of users.
  let documents: UserDocuments
  let customData: CustomDataWatch
  let triggers: TriggerService
  /// The triggers of the program, beside those of the file.
  let programTriggers: [TriggerSettings]

  /// The functions of the app.
  package var functions: FunctionService { api.functions }

  /// The settings of the users of a file of the app.
  func accountSettings(of file: AppFile) -> AccountSettings {
    var settings = file.accounts
    settings.recordedEvents.formUnion(programTriggers.recordedEvents)
    return settings
  }

  /// Takes the functions, push services and triggers of a file of the app.
  func applyCode(of file: AppFile) async {
    functions.set(file.functions)
    functions.push.set(file.push)
    let names = Set(file.triggers.map(\.name))
    await triggers.apply(file.triggers + programTriggers.filter { !names.contains($0.name) })
  }

  /// The rights by a file of the app; nil if each user has all.
  func access(to file: AppFile, in stage: AppStage) -> (any SessionAccess)? {
    Self.access(to: file, in: stage, users: api.accounts)
  }

  static func access(
    to file: AppFile, in stage: AppStage, users accounts: AccountService
  ) -> (any SessionAccess)? {
    guard stage == .production else { return nil }
    let users = { @Sendable (user: String) async throws(SessionRefusal) in
      try await accounts.ruleUser(user)
    }
    switch file.mode {
    case .partition: return PartitionAccess(file.permissions, users: users)
    case .flexible: return RoleAccess(file.roles, users: users)
    }
  }
}
#endif
