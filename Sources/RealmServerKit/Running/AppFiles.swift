// SPDX-License-Identifier: Apache-2.0

// The files of apps, applied while the server runs.
//
// Invariants:
// 1. A file with an error changes nothing of its app.
// 2. Files are applied one time after the other: the last read counts.
// 3. An app whose folder is gone has no open file and no session once its end is reported.

#if Server
import Logging
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol

/// Reads the folders of apps again, and applies them to the running server.
///
/// An actor whose executor is a thread of its own, as it reads files and opens those of new apps.
actor AppFiles {
  private let opener: AppOpener
  private let directory: ServerDirectory
  private let options: ServerOptions
  private let apps: ServedApps
  private let sockets: SocketService
  private let gate: ForwardGate
  private let keys: SigningKeys
  /// Those that servers share; nil where this one is alone.
  private let settings: SharedSettings?
  private let rotation: KeyRotation
  private let logger: Logger
  private nonisolated let thread = ThreadExecutor(named: "realm-apps")
  private var last: Task<[AppFileOutcome], Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// - Parameter keys: The keys of tokens, which change with the files of the folder.
  init(
    _ opener: AppOpener, _ apps: ServedApps, _ sockets: SocketService, gate: ForwardGate,
    keys: SigningKeys
  ) {
    self.keys = keys
    rotation = KeyRotation(opener.directory, clock: opener.surroundings.clock)
    self.opener = opener
    directory = opener.directory
    options = opener.options
    logger = opener.surroundings.logger
    settings = opener.shared?.settings
    self.apps = apps
    self.sockets = sockets
    self.gate = gate
  }

  /// Applies the files of all apps, begins to serve new ones, and ends those whose folders are
  /// gone. Returns the outcome of each. Other servers of a shared store get the files, too.
  ///
  /// - Parameter isPulled: Whether the files are those of another server.
  func apply(isPulled: Bool = false) async -> [AppFileOutcome] {
    let before = last
    let next = Task {
      _ = await before?.value
      let shared = isPulled ? [] : self.share()
      return shared + (await self.applyAll())
    }
    last = next
    return await next.value
  }

  /// Takes the files that other servers have changed. Returns whether that went well.
  func pull() async -> Bool {
    guard let settings else { return true }
    do throws(ServerFailure) {
      let former = try? directory.signingKey(random: RandomBytes(), mayMake: false)
      let changed = try settings.pull()
      if changed.contains(where: { $0.hasPrefix("keys/") }) {
        reloadKeys()
        await endLogins(after: former)
      }
      if changed.contains(where: { $0.hasPrefix("apps/") }) { _ = await apply(isPulled: true) }
      return true
    } catch {
      logger.error("\(error)")
      return false
    }
  }

  /// Ends the connections of all users if another server has ended the logins with a key.
  private func endLogins(after former: [UInt8]?) async {
    guard let former,
      let present = try? directory.signingKey(random: RandomBytes(), mayMake: false),
      former != present,
      let earlier = try? directory.earlierKeys(
        now: OperationTime.seconds(opener.surroundings.clock.now())),
      !earlier.contains(where: { $0.key == former })
    else { return }
    for app in apps.all { _ = await sockets.endLogins(of: app) }
  }

  /// Gives the files of the folder to the other servers.
  private func share() -> [AppFileOutcome] {
    do throws(ServerFailure) {
      return try (settings?.push() ?? []).map { failed($0) }
    } catch {
      return [failed("\(error)")]
    }
  }

  /// Ends the sessions whose users have other rights than when they began.
  func recheck() async -> [AppFileOutcome] {
    var outcomes: [AppFileOutcome] = []
    for app in apps.all {
      let count = await app.rules.recheck()
      guard count > 0 else { continue }
      outcomes.append(
        AppFileOutcome(
          isApplied: true,
          text: "Of the app \(app.file.id), \(Self.restarts(count))"))
    }
    for outcome in outcomes { logger.notice("\(outcome.text)") }
    return outcomes
  }

  /// Makes a user.
  ///
  /// - Parameter content: The app and the user as JSON, a line each.
  func createUser(_ content: String) async -> [AppFileOutcome] {
    let parts = content.split(separator: "\n", maxSplits: 1).map(String.init)
    guard parts.count == 2, let app = apps[parts[0]],
      let user = (try? JSONParser.parse(parts[1])).flatMap({ NewUser($0) })
    else { return [AppFileOutcome(isApplied: false, text: "The app is not served.")] }
    do throws(AccountError) {
      try await app.api.accounts.create(user)
      return [done("The user \(user.id) of the app \(app.file.id) is made")]
    } catch .nameInUse {
      return [AppFileOutcome(isApplied: false, text: NewUser.inUse(in: app.file.id))]
    } catch {
      return [failed("The users of the app \(app.file.id) cannot be changed: \(error)")]
    }
  }

  /// Gives a user another password, and ends its sessions.
  ///
  /// - Parameter content: The app and the password as JSON, a line each.
  func setPassword(_ content: String) async -> [AppFileOutcome] {
    let parts = content.split(separator: "\n", maxSplits: 1).map(String.init)
    guard parts.count == 2, let app = apps[parts[0]],
      let new = (try? JSONParser.parse(parts[1])).flatMap({ NewPassword($0) })
    else { return [AppFileOutcome(isApplied: false, text: "The app is not served.")] }
    do throws(AccountError) {
      guard let reset = try await app.api.accounts.replacePassword(new) else {
        return [AppFileOutcome(isApplied: false, text: NewPassword.unused(new.user))]
      }
      logger.notice("The user \(new.user) of the app \(app.file.id) has another password")
      return [AppFileOutcome(isApplied: true, text: JSONWriter.text(reset.json))]
    } catch .userNotFound {
      return [
        AppFileOutcome(isApplied: false, text: "The app \(app.file.id) has no such user.")
      ]
    } catch {
      return [failed("The users of the app \(app.file.id) cannot be changed: \(error)")]
    }
  }

  /// Deletes a user, and ends its connections.
  ///
  /// - Parameter content: The app and the id of the user, a line each.
  func deleteUser(_ content: String) async -> [AppFileOutcome] {
    let parts = content.split(separator: "\n").map(String.init)
    guard parts.count == 2, let app = apps[parts[0]] else {
      return [AppFileOutcome(isApplied: false, text: "The app is not served.")]
    }
    do throws(AccountError) {
      try await app.api.accounts.delete(user: parts[1])
      return [done("The user \(parts[1]) of the app \(app.file.id) is deleted")]
    } catch .userNotFound {
      return [
        AppFileOutcome(isApplied: false, text: "The app \(app.file.id) has no such user.")
      ]
    } catch {
      return [failed("The users of the app \(app.file.id) cannot be changed: \(error)")]
    }
  }

  // MARK: Keys

  /// Makes another key of tokens, and signs with it from now on.
  ///
  /// - Parameter endsLogins: Whether all users have to log in again.
  func rotateKey(endsLogins: Bool) async -> [AppFileOutcome] {
    do throws(ServerFailure) {
      let text = try rotation.rotate(
        endsLogins: endsLogins, sharedExpiry: try await sharedExpiry())
      for notice in try settings?.push() ?? [] { logger.warning("\(notice)") }
      try readKeys()
      var count = 0
      if endsLogins { for app in apps.all { count += await sockets.endLogins(of: app) } }
      return [done(endsLogins ? "\(text). \(Self.ends(count))" : text)]
    } catch {
      return [failed("\(error)")]
    }
  }

  /// When the last login of users in a database is over; nil without one.
  private func sharedExpiry() async throws(ServerFailure) -> OriginTimestamp? {
    guard options.store != nil else { return nil }
    var last = opener.surroundings.clock.now()
    for app in apps.all {
      do throws(StoreError) {
        guard let end = try await app.api.accounts.lastExpiry() else { continue }
        if end.milliseconds > last.milliseconds { last = end }
      } catch {
        throw ServerFailure(
          "The users of \(app.file.id) cannot be read: \(ServerFailure.text(error)). The key "
            + "stays as it is.")
      }
    }
    return last
  }

  /// Takes the keys that the folder has.
  private func readKeys() throws(ServerFailure) {
    let read = try rotation.keys(mayMake: false)
    keys.replace(by: read.present, earlier: read.earlier)
  }

  /// Takes the keys that the folder has; those in use stay if it has none that can be used.
  func reloadKeys() {
    do throws(ServerFailure) { try readKeys() } catch { logger.error("\(error)") }
  }

  // MARK: Access

  /// Ends the connections of users whom a command has disabled or deleted, and of such keys.
  func endAccess() async -> [AppFileOutcome] {
    var outcomes: [AppFileOutcome] = []
    for app in apps.all {
      do throws(AccountError) {
        let count = try await sockets.endLostAccess(of: app)
        if count > 0 {
          outcomes.append(done("Of the app \(app.file.id), \(Self.ends(count))"))
        }
      } catch {
        outcomes.append(failed("The users of the app \(app.file.id) cannot be read: \(error)"))
      }
    }
    return outcomes
  }

  /// Suspends and resumes the triggers for which a command has asked.
  func carryOutTriggerRequests() async -> [AppFileOutcome] {
    for app in apps.all { await app.triggers.carryOutRequests() }
    return []
  }

  private static func ends(_ count: Int) -> String {
    count == 1 ? "1 connection was ended" : "\(count) connections were ended"
  }

  private static func restarts(_ count: Int) -> String {
    (count == 1 ? "1 session begins" : "\(count) sessions begin") + " again with other rights"
  }

  // MARK: All apps

  private func applyAll() async -> [AppFileOutcome] {
    var outcomes: [AppFileOutcome] = []
    let folders: [String]
    do throws(ServerFailure) {
      folders = try directory.appFolders()
    } catch {
      logger.error("\(error)")
      return [AppFileOutcome(isApplied: false, text: "\(error) Nothing of any app is changed.")]
    }
    for app in apps.all {
      let id = app.file.id
      do throws(ServerFailure) {
        if !folders.contains(id) {
          outcomes.append(done(await end(app, as: "is gone")))
        } else if FolderIdentity(directory.appPath(id)) != app.folder {
          // It is served from the other folder below, whose files have no error.
          _ = try read(id)
          outcomes.append(done(await end(app, as: "was replaced")))
        } else {
          outcomes.append(done(try await apply(app)))
        }
      } catch {
        outcomes.append(failed("\(error) Nothing of the app \(id) is changed."))
      }
    }
    for id in folders where apps[id] == nil {
      if let only = options.appID, only != id {
        outcomes.append(done("The app \(id) is not served: the server has --app-id \(only)"))
        continue
      }
      do throws(ServerFailure) {
        let (file, stage) = try read(id)
        outcomes.append(done(try await begin(file, in: stage)))
      } catch {
        outcomes.append(failed("\(error) The app \(id) is not served."))
      }
    }
    if outcomes.isEmpty {
      outcomes.append(done("No app is served: \(directory.path)/apps has no folder of one"))
    }
    return outcomes
  }

  private func done(_ text: String) -> AppFileOutcome {
    logger.notice("\(text)")
    return AppFileOutcome(isApplied: true, text: text)
  }

  private func failed(_ text: String) -> AppFileOutcome {
    logger.error("\(text)")
    return AppFileOutcome(isApplied: false, text: text)
  }

  // MARK: An app

  /// The files of an app, and its mode; none has an error.
  private func read(_ id: String) throws(ServerFailure) -> (file: AppFile, stage: AppStage) {
    let file = try directory.app(id)
    let stage = try options.stage(of: file, at: directory.appFilePath(id))
    _ = try directory.schema(of: id)
    return (file, stage)
  }

  private func apply(_ app: ServedApp) async throws(ServerFailure) -> String {
    let (id, path) = (app.file.id, directory.appFilePath(app.file.id))
    let (file, stage) = try read(id)
    guard file.mode == app.file.mode else {
      throw ServerFailure(
        "\(path) has another \"sync\" than at the start: devices keep their files, so it stays.")
    }
    let schema = try directory.schema(of: id)
    // From here on nothing fails.
    let isFixed = stage == .production
    for name in app.schema.apply(schema, isFixed: isFixed) {
      logger.warning("Devices of the app \(id) have another definition of \(name) than its file")
    }
    app.api.accounts.apply(app.accountSettings(of: file))
    app.documents.source = file.customUserData
    app.api.documents?.set(file.documents)
    app.api.set(AllowedOrigins(file, in: stage))
    await app.applyCode(of: file)
    gate.set(options.isForThisMachineAlone(file), for: id)
    for notice in ServerProgram.notices(stage, file, app.schema, directory, options) {
      logger.warning("\(notice)")
    }
    let count = await app.rules.replace(by: app.access(to: file, in: stage))
    return "The files of the app \(id) are applied; \(Self.restarts(count))"
  }

  /// Serves an app that has a folder since the last time.
  private func begin(
    _ file: AppFile, in stage: AppStage
  ) async throws(ServerFailure) -> String {
    let app = try opener.open(file, in: stage)
    gate.set(options.isForThisMachineAlone(file), for: file.id)
    apps.add(app)
    sockets.begin(app)
    await app.applyCode(of: file)
    return "The app \(file.id) is served from now on"
  }

  /// Ends an app whose folder is not where it was. Its devices keep their files, and come back when
  /// the folder does.
  private func end(_ app: ServedApp, as reason: String) async -> String {
    let id = app.file.id
    apps.remove(id)
    let count = await sockets.end(app)
    app.api.documents?.endWatches()
    await app.triggers.stop()
    await app.upkeep.closeAll()
    gate.set(false, for: id)
    return
      "The app \(id) is not served any more, as its folder \(directory.appPath(id)) \(reason); "
      + Self.ends(count)
  }
}

/// The outcome for the files of an app.
struct AppFileOutcome: Hashable, Sendable {
  /// Whether they are in use now.
  let isApplied: Bool
  /// A line for the operator.
  let text: String
}
#endif
