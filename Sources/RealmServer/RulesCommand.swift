// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server rules check` and `realm-server rules explain`.

#if Server
import ArgumentParser
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerKit
import RealmServerServices
import RealmSyncProtocol

/// The commands about rules.
struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Checks the rules of an app.",
    subcommands: [RulesCheckCommand.self, RulesExplainCommand.self])

  /// The file of an app, read strictly.
  static func read(_ file: String) throws(ServerFailure) -> AppFile {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw ServerFailure("\(file) cannot be read. Name the app.json of an app.")
    }
    return try ServerDirectory.read(Array(data), of: file)
  }

  /// Prints an answer, or ends the program with the failure in its place.
  static func run(_ answer: () throws(ServerFailure) -> String) throws {
    try show(Result { () throws(ServerFailure) in try answer() })
  }

  /// Waits for an answer, and prints it.
  static func run(_ answer: () async throws(ServerFailure) -> String) async throws {
    let result: Result<String, ServerFailure>
    do throws(ServerFailure) {
      result = .success(try await answer())
    } catch {
      result = .failure(error)
    }
    try show(result)
  }

  private static func show(_ answer: Result<String, ServerFailure>) throws {
    switch answer {
    case .success(let text):
      FileHandle.standardOutput.write(Data((PlainText.lines(text) + "\n").utf8))
    case .failure(let failure):
      FileHandle.standardError.write(
        Data("realm-server: \(PlainText.lines(failure.description))\n".utf8))
      throw ExitCode(1)
    }
  }
}

/// The command `realm-server rules check`.
struct RulesCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Reads the file of an app, and says what is wrong with it.")

  @Argument(help: "The app.json of an app.")
  var file: String

  @OptionGroup var form: AnswerOptions

  func run() throws {
    try RulesCommand.run { () throws(ServerFailure) in
      try Self.answer(file, isJSON: form.json)
    }
  }

  static func answer(_ file: String, isJSON: Bool = false) throws(ServerFailure) -> String {
    let app = try RulesCommand.read(file)
    let state =
      switch app.stage {
      case .production where !app.hasRules:
        "production mode without \(app.rulesName): no user reads anything"
      case .production:
        "production mode: users have what its \(app.rulesName) grant, and nothing else"
      case .development: "development mode: every user reads and writes everything"
      case nil:
        "no mode: every user reads and writes everything, and only the loopback address is served"
      }
    let sentence = "\(file) is correct. The app \(app.id) has \(state)."
    let misfits = try misfits(of: app, beside: file)
    return CommandAnswer(
      ([sentence] + misfits).joined(separator: "\n"),
      [
        JSONMember("app", .string(app.id)), JSONMember("mode", JSONValue(app.stage?.rawValue)),
        JSONMember("misfits", .array(misfits.map { .string($0) })),
      ]
    ).text(asJSON: isJSON)
  }

  /// What roles ask of classes that the schema beside the file does not have.
  private static func misfits(
    of app: AppFile, beside file: String
  ) throws(ServerFailure) -> [String] {
    let path = URL(fileURLWithPath: file).deletingLastPathComponent().path + "/schema.json"
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    do throws(AppFileError) {
      let schema = try AppSchema(Array(data))
      return app.roles.misfits(in: schema) + (app.customUserData?.misfits(in: schema) ?? [])
    } catch {
      throw ServerFailure("\(path) \(error). Correct the file.")
    }
  }
}

extension AppFile {
  /// The member of the file that says what users may do.
  fileprivate var rulesName: String { mode == .flexible ? "roles" : "permissions" }
}

/// The command `realm-server rules explain`.
struct RulesExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Says what a user may do with a partition, or with the objects of a class, and why.")

  @Argument(help: "The app.json of an app.")
  var file: String

  @Option(help: "The id of the user.")
  var user: String

  @Option(help: "The address of the user, if it has one.")
  var email: String?

  @Option(help: "The custom data of the user, as JSON.")
  var customData: String?

  @Option(help: "The value of the partition, as JSON: a text has quotes.")
  var partition: String?

  @Option(name: .customLong("class"), help: "The name of a class, for flexible sync.")
  var className: String?

  func run() throws {
    try RulesCommand.run { () throws(ServerFailure) in
      try Self.answer(
        file, user, email, customData, partition: partition, className: className)
    }
  }

  static func answer(
    _ file: String, _ user: String, _ email: String?, _ customData: String?,
    partition: String? = nil, className: String? = nil
  ) throws(ServerFailure) -> String {
    let app = try RulesCommand.read(file)
    guard app.stage == .production else {
      return "The app \(app.id) is not in production mode: every user reads and writes everything."
    }
    var data: BSONValue?
    if let customData {
      guard let document = try? ExtendedJSONReader.parse(customData) else {
        throw ServerFailure("--custom-data needs a JSON object.")
      }
      data = document
    }
    let user = RuleUser(id: user, email: email, customData: data)
    switch (app.mode, partition, className) {
    case (.partition, let partition?, nil): return try answer(app, user, partition)
    case (.flexible, nil, let className?):
      return RoleExplanation(app.roles, of: user, className: className).description
    case (.partition, _, _): throw ServerFailure("The app has partitions: name one by --partition.")
    case (.flexible, _, _): throw ServerFailure("The app has flexible sync: name a --class.")
    }
  }

  private static func answer(
    _ app: AppFile, _ user: RuleUser, _ partition: String
  ) throws(ServerFailure) -> String {
    guard let value = PartitionText.value(partition) else {
      throw ServerFailure(
        "--partition needs the JSON of a text, a number, an id or null, like '\"home\"'.")
    }
    let context = RuleContext(user: user, partition: value)
    switch app.permissions.permission(in: context) {
    case .write: return "reads and writes: the rule \"write\" holds"
    case .read: return "reads: the rule \"read\" holds, and the rule \"write\" does not"
    case .none: return "nothing: neither the rule \"read\" nor the rule \"write\" holds"
    }
  }
}
#endif
