// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server triggers …`: which triggers of an app are suspended, and why.

#if Server
import ArgumentParser
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerKit

/// The commands about the triggers of an app.
struct TriggersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triggers", abstract: "Lists, suspends and resumes the triggers of an app.",
    discussion: "The server may run, and does it at once; otherwise it does at its next start.",
    subcommands: [ListCommand.self, SuspendCommand.self, ResumeCommand.self])

  /// The options of each.
  struct Options: ParsableArguments {
    @Option(help: "The folder of the server.")
    var dir: String

    @Option(help: "The app; needed if the folder has several.")
    var appId: String?

    @OptionGroup var form: AnswerOptions
  }

  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the triggers that have run, with their states.")
    @OptionGroup var options: Options

    func run() async throws {
      try await RulesCommand.run { () async throws(ServerFailure) in
        try await TriggersCommand.list(
          options.dir, options.appId, isJSON: options.form.json)
      }
    }
  }

  struct SuspendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "suspend", abstract: "Stops a trigger until it is resumed.")
    @OptionGroup var options: Options
    @Argument(help: "The name of the trigger.")
    var name: String

    func run() async throws {
      try await RulesCommand.run { () async throws(ServerFailure) in
        try await TriggersCommand.ask(
          options.dir, options.appId, .suspend, of: name, isJSON: options.form.json)
      }
    }
  }

  struct ResumeCommand: AsyncParsableCommand {
    /// Where the trigger goes on.
    enum Place: String, CaseIterable, ExpressibleByArgument {
      case position
      case now
      case start

      var request: TriggerRecord.Request {
        switch self {
        case .position: .position
        case .now: .now
        case .start: .start
        }
      }
    }

    static let configuration = CommandConfiguration(
      commandName: "resume", abstract: "Lets a suspended trigger go on.",
      discussion: """
        "position" is the event after the last delivered one; "now" leaves out what has happened \
        since; "start" repeats all that the history still has.

        Example: realm-server triggers resume greet --dir ./data
        """)
    @OptionGroup var options: Options
    @Argument(help: "The name of the trigger.")
    var name: String
    @Option(help: "Where it goes on: position, now or start.")
    var from: Place = .position

    func run() async throws {
      try await RulesCommand.run { () async throws(ServerFailure) in
        try await TriggersCommand.ask(
          options.dir, options.appId, from.request, of: name, isJSON: options.form.json)
      }
    }
  }

  // MARK: Answers

  /// The triggers with their states.
  static func list(
    _ folder: String, _ appID: String?, isJSON: Bool = false, notes: String = ""
  ) async throws(ServerFailure) -> String {
    let (app, store) = try open(folder, appID)
    let records = try await reading(app) { () async throws(StoreError) in
      try await store?.records() ?? []
    }
    let lines = records.map { record in
      "\(record.name)  \(record.request.map { "\($0) asked for" } ?? record.state.rawValue)"
        + (record.error.map { "  \($0)" } ?? "")
    }
    let list = records.map { record in
      JSONValue.object([
        JSONMember("name", .string(record.name)),
        JSONMember("state", .string(record.state.rawValue)),
        JSONMember("request", JSONValue(record.request.map { "\($0)" })),
        JSONMember("error", JSONValue(record.error)),
      ])
    }
    let none = "No trigger of the app \(app) has run."
    return CommandAnswer(
      lines.isEmpty ? none : lines.joined(separator: "\n"),
      [
        JSONMember("app", .string(app)), JSONMember("triggers", .array(list)), .notes(notes),
      ]
    ).text(asJSON: isJSON)
  }

  /// Notes a request, and has the running server carry it out.
  static func ask(
    _ folder: String, _ appID: String?, _ request: TriggerRecord.Request, of name: String,
    isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let (app, store) = try open(folder, appID)
    let isKnown = try await reading(app) { () async throws(StoreError) in
      try await store?.ask(request, of: name) ?? false
    }
    guard isKnown else {
      throw ServerFailure("The app \(app) has no trigger \"\(name)\" that has run.")
    }
    guard try await CommandRequests(folder).ask(.triggers) != nil else {
      let text = "No server runs for \(folder): it does so at its start."
      return isJSON ? try await list(folder, app, isJSON: true, notes: text) : text
    }
    return try await list(folder, app, isJSON: isJSON)
  }

  private static func open(
    _ folder: String, _ appID: String?
  ) throws(ServerFailure) -> (app: String, store: TriggerRecords?) {
    let directory = try ServerDirectory(existing: folder)
    let app = try directory.app(named: appID).id
    guard !directory.hasSharedRealms else {
      throw ServerFailure(
        "The triggers of \(folder) are in a database, and this command works on files alone. Use "
          + "the page of a running server (realm-server serve --admin-port).")
    }
    let path = directory.triggersPath(app)
    guard FileManager.default.fileExists(atPath: path) else { return (app, nil) }
    do throws(StoreError) {
      return (app, try TriggerRecords.open(path, app: app))
    } catch {
      throw failure(error, app)
    }
  }

  private static func reading<R: Sendable>(
    _ app: String, _ body: () async throws(StoreError) -> R
  ) async throws(ServerFailure) -> R {
    do throws(StoreError) { return try await body() } catch { throw failure(error, app) }
  }

  private static func failure(_ error: StoreError, _ app: String) -> ServerFailure {
    ServerFailure("The triggers of the app \(app) cannot be read: \(ServerFailure.text(error)).")
  }
}
#endif
