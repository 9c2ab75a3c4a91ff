// SPDX-License-Identifier: Apache-2.0

// The command `realm-server schema`.

#if Server
import ArgumentParser
import Foundation
import RealmDeclarations
import RealmServerEngine
import RealmServerKit
import RealmServerServices

/// The command `realm-server schema`.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the classes of an app as Swift code.",
    discussion: "Example: realm-server schema --dir ./data > Models.swift")

  @Option(help: "The folder of the server, which may run.")
  var dir: String

  @Option(help: "The app; needed if the folder has several.")
  var appId: String?

  func run() throws {
    try RulesCommand.run { () throws(ServerFailure) in try Self.answer(dir, appId) }
  }

  static func answer(_ folder: String, _ id: String?) throws(ServerFailure) -> String {
    let directory = try ServerDirectory(existing: folder)
    let app = try directory.app(named: id)
    guard let schema = try directory.schema(of: app.id), !schema.isEmpty else {
      throw ServerFailure(
        "The app \(app.id) has no classes yet. In development mode, its devices add them.")
    }
    return String(SwiftSchema(schema.declared).text.dropLast())
  }
}
#endif
