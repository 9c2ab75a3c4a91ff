// SPDX-License-Identifier: Apache-2.0

// The files of apps, applied while the server runs.
//
// Invariants:
// 1. A file with an error changes nothing of its app.
// 2. Files are applied one time after the other: the last read counts.

#if Server
import Logging
import RealmServerEngine

/// Reads the files of apps again, and applies them to the running server.
actor AppFiles {
  private let directory: ServerDirectory
  private let options: ServerOptions
  private let apps: [ServedApp]
  private let gate: ForwardGate
  private let logger: Logger
  private var last: Task<[AppFileOutcome], Never>?

  init(
    _ directory: ServerDirectory, _ options: ServerOptions, _ apps: [ServedApp],
    gate: ForwardGate, logger: Logger
  ) {
    self.directory = directory
    self.options = options
    self.apps = apps
    self.gate = gate
    self.logger = logger
  }

  /// Applies the files of all apps. Returns the outcome of each.
  func apply() async -> [AppFileOutcome] {
    let before = last
    let next = Task {
      _ = await before?.value
      return await self.applyAll()
    }
    last = next
    return await next.value
  }

  /// Ends the sessions whose users have other rights than when they began.
  func recheck() async -> [AppFileOutcome] {
    var outcomes: [AppFileOutcome] = []
    for app in apps {
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

  private static func restarts(_ count: Int) -> String {
    (count == 1 ? "1 session begins" : "\(count) sessions begin") + " again with other rights"
  }

  private func applyAll() async -> [AppFileOutcome] {
    var outcomes: [AppFileOutcome] = []
    for app in apps {
      do throws(ServerFailure) {
        let text = try await apply(app)
        logger.notice("\(text)")
        outcomes.append(AppFileOutcome(isApplied: true, text: text))
      } catch {
        let text = "\(error) Nothing of the app \(app.file.id) is changed."
        logger.error("\(text)")
        outcomes.append(AppFileOutcome(isApplied: false, text: text))
      }
    }
    return outcomes
  }

  private func apply(_ app: ServedApp) async throws(ServerFailure) -> String {
    let (id, path) = (app.file.id, directory.appFilePath(app.file.id))
    let file = try directory.app(id)
    guard file.mode == app.file.mode else {
      throw ServerFailure(
        "\(path) has another \"sync\" than at the start: devices keep their files, so it stays.")
    }
    let stage = try options.stage(of: file, at: path)
    let schema = try directory.schema(of: id)
    // From here on nothing fails.
    let isFixed = stage == .production
    for name in app.schema.apply(schema, isFixed: isFixed) {
      logger.warning("Devices of the app \(id) have another definition of \(name) than its file")
    }
    app.api.accounts.apply(file.accounts)
    gate.set(options.isForThisMachineAlone(file), for: id)
    for notice in ServerProgram.notices(stage, file, app.schema, directory, options) {
      logger.warning("\(notice)")
    }
    let count = await app.rules.replace(by: app.access(to: file, in: stage))
    return "The files of the app \(id) are applied; \(Self.restarts(count))"
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
