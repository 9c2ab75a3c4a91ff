// SPDX-License-Identifier: Apache-2.0

// An app, from its folder to its services: at the start, and for a folder that comes later.

#if Server
import Foundation
import Logging
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol

/// Opens the apps of a folder.
struct AppOpener: Sendable {
  let directory: ServerDirectory
  let options: ServerOptions
  let surroundings: ServerSurroundings
  let issuer: TokenIssuer
  let passwords: PasswordChecker
  let code: ProgramCode
  let services: LoginServices
  let sessionLimits: SessionLimits
  /// The database with the realms; nil if they are in files of the folder.
  let shared: SharedStore?
  /// The way to the owners of other realms; nil where there are none.
  let links: NodePool?
  private let random = RandomBytes()

  private var timer: SyncClock { surroundings.timer }
  private var clock: ServerClock { surroundings.clock }
  private var logger: Logger { surroundings.logger }

  /// Opens the files of an app, which become its own, and logs what the operator has to know.
  ///
  /// - Parameter replacesMissing: Whether files that a folder in use lacks are made again.
  func open(
    _ file: AppFile, in stage: AppStage, replacesMissing: Bool = false
  ) throws(ServerFailure) -> ServedApp {
    let found = try classes(of: file, in: stage, replacesMissing: replacesMissing)
    let schema = try ServerProgram.schema(
      of: file.id, stage, directory, found, shared?.settings, logger)
    for notice in ServerProgram.notices(stage, file, schema, directory, options) {
      logger.warning("\(notice)")
    }
    let accounts = try accounts(of: file, replacesMissing: replacesMissing)
    try directory.markUsed(file.id)
    let transport = ClientTransport.webhooks
    let api = APIApp(
      id: file.id, accounts: accounts,
      functions: FunctionService(
        code[file.id].functions, settings: file.functions, accounts: accounts,
        push: PushService(file.push, accounts: accounts, transport: transport),
        transport: transport, timer: timer), origins: AllowedOrigins(file, in: stage),
      limits: options.limits.requests,
      now: { [timer] in timer.now() })
    return serve(file, stage, schema, api)
  }

  /// The classes of the realms of an app, which are checked before devices ask for them. Those of a
  /// database are read where the schema of the app needs them.
  private func classes(
    of file: AppFile, in stage: AppStage, replacesMissing: Bool
  ) throws(ServerFailure) -> ServerProgram.FoundClasses {
    guard let shared else { return try checkRealms(of: file, replacesMissing: replacesMissing) }
    let realms = try Self.realms(of: file.id) { app throws(StoreError) in
      try shared.realms(app)
    }
    try checkMode(of: file, Set(realms))
    var found = ServerProgram.FoundClasses()
    let schema = try directory.schema(of: file.id)
    guard stage == .development || schema == nil else { return found }
    let classes = try Self.realms(of: file.id) { app throws(StoreError) in
      try shared.classes(app)
    }
    for classes in classes { found.add(classes) }
    return found
  }

  /// Reads something of the realms of an app from a database.
  private static func realms<R>(
    of app: String, _ call: (String) throws(StoreError) -> R
  ) throws(ServerFailure) -> R {
    do throws(StoreError) {
      return try call(app)
    } catch {
      throw ServerFailure(
        "The realms of \(app) cannot be read from the database: \(ServerFailure.text(error))")
    }
  }

  /// Refuses an app whose realms were made in the other mode: devices keep their files, and the
  /// objects would seem to be gone.
  private func checkMode(of file: AppFile, _ realms: Set<RealmID>) throws(ServerFailure) {
    let whole = RealmName(app: file.id).fileID
    let others = realms.filter { ($0 == whole) != (file.mode == .flexible) }
    guard !others.isEmpty else { return }
    let (now, before) =
      file.mode == .flexible ? ("flexible", "partition") : ("partition", "flexible")
    throw ServerFailure(
      "\(directory.appFilePath(file.id)) has \"sync\": \"\(now)\", and the app has realms of "
        + "\"\(before)\": devices keep their files, so it stays. Write \"sync\": \"\(before)\", or "
        + "begin with an app of another id.")
  }

  /// Checks the realms of an app before devices ask for them. Returns their classes.
  private func checkRealms(
    of file: AppFile, replacesMissing: Bool
  ) throws(ServerFailure) -> ServerProgram.FoundClasses {
    var classes = ServerProgram.FoundClasses()
    let realms = DirectoryFiles(directory: directory.path)
    let record = directory.path + "/apps/\(file.id)/directory.realm"
    let recorded = try Self.using(record, realms.recordedRealms(ofApp: file.id))
    try checkMode(of: file, recorded)
    let (found, lost) = try directory.checkRealms(
      file.id, recorded, replacesMissing: replacesMissing
    ) { (id) throws(ServerFailure) in
      do throws(StoreError) {
        classes.add(try EmbeddedStore.check(id, in: realms))
      } catch {
        throw ServerFailure(
          "\(realms.path(of: id)) cannot be used: \(ServerFailure.text(error)). Put it back from a "
            + "backup, or move it away and start once with --replace-missing; then its devices get "
            + "a new realm.")
      }
    }
    try Self.using(
      record, realms.record(found.subtracting(recorded), forgetting: lost, ofApp: file.id))
    return classes
  }

  /// Uses the record of an app's realms.
  private static func using<R>(
    _ record: String, _ call: @autoclosure () throws(StorageError) -> R
  ) throws(ServerFailure) -> R {
    do throws(StoreError) {
      return try StoreError.storing(call())
    } catch {
      throw ServerFailure(
        "\(record), the record of the realms, cannot be used: \(ServerFailure.text(error)). Put it "
          + "back from a backup, or move it away; then the realms that are there are recorded.")
    }
  }

  private func accounts(
    of file: AppFile, replacesMissing: Bool
  ) throws(ServerFailure) -> AccountService {
    let accounts: AccountStore
    if let shared {
      accounts = try sharedUsers(of: file.id, in: shared)
    } else {
      accounts = try ownUsers(of: file.id, replacesMissing)
    }
    var settings = file.accounts
    settings.recordedEvents.formUnion(code[file.id].triggers.recordedEvents)
    let services = services.with(code[file.id].logins)
    return AccountService(
      app: file.id, settings: settings, store: accounts, passwords: passwords, issuer: issuer,
      random: random, clock: clock,
      mailer: ServerMailer(
        app: file.id, outbox: OutboxMailer(folder: directory.outboxPath(file.id)),
        services: services, clock: clock), services: services)
  }

  /// The users of an app in the folder.
  private func ownUsers(
    of app: String, _ replacesMissing: Bool
  ) throws(ServerFailure) -> AccountStore {
    let path = directory.accountsPath(app)
    let isNew = try directory.needsAccounts(app, replacesMissing: replacesMissing)
    do throws(StoreError) {
      return try AccountStore.open(path, app: app, isNew: isNew, now: clock.now())
    } catch {
      throw ServerFailure(
        "\(path) cannot be opened: \(ServerFailure.text(error)). Put it back from a backup, "
          + "or move it away and start once with --replace-missing; then all users have to "
          + "register again.")
    }
  }

  /// The users of an app in the database. See `SharedStore` 3.
  private func sharedUsers(
    of app: String, in shared: SharedStore
  ) throws(ServerFailure) -> AccountStore {
    let path = directory.accountsPath(app)
    let ownCount: Int
    do throws(StoreError) {
      ownCount = directory.exists(path) ? try AccountCheck.counts(path: path).users : 0
    } catch {
      throw ServerFailure(
        "\(path) cannot be read: \(ServerFailure.text(error)). Put it back from a backup, or move "
          + "it away if the database of --store has the users.")
    }
    let records = try Self.users(of: app) { () throws(StoreError) in try shared.users(app) }
    if ownCount > 0 {
      let text = CountText.text(ownCount, "user")
      let count = try Self.users(of: app) { () throws(StoreError) in
        try AccountStore.userCount(in: records)
      }
      guard count > 0 else {
        throw ServerFailure(
          "The app \(app) has \(text) in \(path), and none in the database of --store. Bring "
            + "them there with realm-server move, or serve the folder without --store.")
      }
      logger.warning(
        "\(path) with \(text) is not used: the users of \(app) are in the database of --store")
    }
    return try Self.users(of: app) { () throws(StoreError) in
      try AccountStore(records, app: app, now: clock.now())
    }
  }

  /// Uses the users of an app in a database.
  private static func users<R>(
    of app: String, _ call: () throws(StoreError) -> R
  ) throws(ServerFailure) -> R {
    do throws(StoreError) {
      return try call()
    } catch {
      throw ServerFailure(
        "The users of \(app) cannot be read from the database: \(ServerFailure.text(error))")
    }
  }

  private func serve(
    _ file: AppFile, _ stage: AppStage, _ schema: SchemaKeeper, _ services: APIApp
  ) -> ServedApp {
    var api = services
    let (logger, users) = (logger, options.limits)
    let store: any ServerStore =
      shared?.store
      ?? EmbeddedStore(
        DirectoryFiles(directory: directory.path),
        onProblem: { logger.error("A row of \(file.id) cannot be read: \($0)") })
    var settings = ServerRealm.Settings(recordsTouches: file.mode == .flexible)
    settings.bootstrapEntryByteCount = min(
      settings.bootstrapEntryByteCount, sessionLimits.bootstrapByteCount)
    settings.schema = schema
    settings.report = { loss in
      logger.log(level: loss.isDamage ? .error : .info, "App \(file.id): \(loss)")
    }
    let realms = RealmDirectory(
      store, settings: settings,
      limits: RealmLimits(
        openMax: users.openRealms, newPerHour: users.newPartitionsPerHour),
      clock: clock, isShared: shared != nil,
      threads: (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in ThreadExecutor() },
      searchers: ViewSearchers(
        threads: (0..<2).map { _ in ThreadExecutor(named: "realm-searches") }))
    var app = ServerApp(
      named: file.id, realms: realms,
      authenticator: SessionAuthenticator { (_) throws(SessionRefusal) in
        throw SessionRefusal(.permissionDenied, "The socket has no user")
      }, limits: sessionLimits,
      reports: reports(of: file.id))
    app.links = links
    app.access = ServedApp.access(to: file, in: stage, users: api.accounts)
    let collections = DocumentService(
      app, mode: file.mode, settings: file.documents, limits: users.documents, nodes: links,
      heads: store.heads(ofApp: file.id), clock: clock, timer: timer)
    api.documents = collections
    api.accounts.ends.observe { [weak collections] in collections?.endWatches($0) }
    api.functions.find(documents: collections)
    let triggers = triggerService(app, collections, api, store)
    let documents = UserDocuments(app: file.id, file.customUserData, in: realms)
    api.accounts.findCustomData(in: documents)
    return ServedApp(
      file: file, api: api, schema: schema, rules: app.rules,
      host: ServerHost(
        app, store: store, served: file.mode, timer: timer,
        wrap: { [tracing = surroundings.tracing] in tracing.traced($0, ofApp: file.id) }),
      store: store,
      upkeep: ServerUpkeep(
        app, accounts: api.accounts, rules: users.upkeep, clock: clock,
        kept: { (realm) async throws(StoreError) in try await triggers.keptVersion(of: realm) }),
      folder: FolderIdentity(directory.appPath(file.id)), documents: documents,
      customData: CustomDataWatch(
        documents, app.rules, heads: store.heads(ofApp: file.id), timer: timer,
        report: { logger.error("The custom data of \(file.id) cannot be read: \($0)") }),
      triggers: triggers, programTriggers: code[file.id].triggers)
  }

  /// Where the sessions of an app report.
  private func reports(of app: String) -> ServerApp.Reports {
    let (notices, metrics) = (surroundings.notices, surroundings.metrics)
    return ServerApp.Reports(
      failure: { notices.add("The store of \(app) failed: \($0)", as: .error) },
      notice: { notices.add($0, as: .warning) }, measure: { metrics.didWork($0, $1) })
  }

  /// The triggers of an app, which do not run yet.
  private func triggerService(
    _ app: ServerApp, _ documents: DocumentService, _ api: APIApp,
    _ store: any ServerStore
  ) -> TriggerService {
    let (path, id) = (directory.triggersPath(app.name), app.name)
    return TriggerService(
      app, documents: documents, accounts: api.accounts, functions: api.functions,
      environment: TriggerService.Environment(
        clock: clock, timer: timer, random: random,
        notice: { [notices = surroundings.notices] in notices.add("App \(id): \($0)", as: .warning)
        }),
      heads: { store.allHeads(ofApp: id) },
      store: { [shared] (isNeeded) async throws(StoreError) in
        if let shared {
          return try await TriggerRecords.opening(app: id) { () throws(StoreError) in
            try shared.triggers(id, isNeeded)
          }
        }
        guard isNeeded || FileManager.default.fileExists(atPath: path) else { return nil }
        return try await TriggerRecords.opening(path, app: id)
      })
  }
}
#endif
