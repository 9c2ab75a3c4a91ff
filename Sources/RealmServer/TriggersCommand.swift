// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server triggers …`: which triggers of an app are suspended, and why.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerKit
import RealmServerServices

/// The commands about the triggers of an app.
struct TriggersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triggers", abstract: "Lists, suspends and resumes the triggers of an app.",
    discussion: "The server may run, and does it at once; otherwise it does at its next start.",
    subcommands: [ListCommand.self, SuspendCommand.self, ResumeCommand.self])

  /// The options of each.
  struct Options: ParsableArguments {
    @OptionGroup var records: RecordOptions

    @OptionGroup var form: AnswerOptions
  }

  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the triggers that have run, with their states.")
    @OptionGroup var options: Options

    func run() async throws {
      try await RulesCommand.run { () async throws(ServerFailure) in
        try await TriggersCommand.list(
          options.records.dir, options.records.appId, store: options.records.store,
          isJSON: options.form.json)
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
          options.records.dir, options.records.appId, store: options.records.store, .suspend,
          of: name, isJSON: options.form.json)
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
          options.records.dir, options.records.appId, store: options.records.store, from.request,
          of: name, isJSON: options.form.json)
      }
    }
  }

  // MARK: Answers

  /// The triggers with their states.
  static func list(
    _ folder: String, _ appID: String?, store: String? = nil, isJSON: Bool = false,
    notes: String = ""
  ) async throws(ServerFailure) -> String {
    let place = RecordPlace(folder: folder, appID: appID, store: store)
    let (app, records) = try await reading(place) {
      (app, triggers) async throws(StoreError) in
      (app, try await triggers?.records() ?? [])
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
    _ folder: String, _ appID: String?, store: String? = nil, _ request: TriggerRecord.Request,
    of name: String, isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let place = RecordPlace(folder: folder, appID: appID, store: store)
    let (app, isKnown) = try await reading(place) {
      (app, triggers) async throws(StoreError) in
      (app, try await triggers?.ask(request, of: name) ?? false)
    }
    guard isKnown else {
      throw ServerFailure("The app \(app) has no trigger \"\(name)\" that has run.")
    }
    guard try await CommandRequests(folder).ask(.triggers) != nil else {
      let text =
        store == nil
        ? "No server runs for \(folder): it does so at its start."
        : "No server runs for \(folder): another one of the database does so, or the next start."
      guard isJSON else { return text }
      return try await list(folder, app, store: store, isJSON: true, notes: text)
    }
    return try await list(folder, app, store: store, isJSON: isJSON)
  }

  /// Opens the triggers for a closure.
  private static func reading<R: Sendable>(
    _ place: RecordPlace,
    _ body: (_ app: String, _ triggers: TriggerRecords?) async throws(StoreError) -> R
  ) async throws(ServerFailure) -> R {
    try await place.withRecords { (app, records) async throws(ServerFailure) in
      let triggers = try records.triggers(of: app.id)
      do throws(StoreError) { return try await body(app.id, triggers) } catch {
        throw .triggers(app.id, error)
      }
    }
  }
}
#endif
