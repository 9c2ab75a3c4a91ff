// SPDX-License-Identifier: Apache-2.0

// A list of things to do that several devices share through a server:
//
//   swift run --traits Server realm-server serve --dir ./data --app-id todos
//   swift run --traits default,Sync realm-todos --dir ./phone add Water the plants
//   swift run --traits default,Sync realm-todos --dir ./desk watch

import Foundation
import RealmSwift

@main
enum RealmTodos {
  @MainActor
  static func main() async {
    do {
      try await run(Command(Array(CommandLine.arguments.dropFirst())))
    } catch let mistake as Command.Mistake {
      Terminal.note("realm-todos: \(mistake.text)\n\n\(Command.usage)")
      exit(Failure.usage)
    } catch let failure as Failure {
      Terminal.note("realm-todos: \(failure.text)")
      exit(failure.code)
    } catch let error as Realm.Error where error.code == .multipleSyncAgents {
      Terminal.note(
        "realm-todos: Another realm-todos uses this folder. End it, or choose another with --dir.")
      exit(1)
    } catch {
      Terminal.note("realm-todos: \(error.localizedDescription)")
      exit(1)
    }
  }

  @MainActor
  private static func run(_ command: Command) async throws {
    if command.action == .help { return Terminal.line(Command.usage) }
    #if Sync
    Logger.shared.level = .error
    if let directory = command.directory { keepData(in: directory) }
    let list = try await TodoList(command)
    switch command.action {
    case .help: break
    case .list:
      await list.download()
      list.show()
    case .watch: try await list.watch()
    case .add(let text):
      try await list.add(text)
      await list.upload()
    case .done(let number):
      try await list.finish(number)
      await list.upload()
    case .remove(let number):
      try await list.remove(number)
      await list.upload()
    }
    #else
    throw Failure(
      code: Failure.usage,
      text: "This build has no device sync. Use: swift run --traits default,Sync realm-todos …")
    #endif
  }

  /// Makes a folder the place of the program's files, as a user does who sets the variable. On
  /// Apple's systems, where apps have folders of their own, it has no effect.
  private static func keepData(in directory: String) {
    setenv("XDG_DATA_HOME", URL(fileURLWithPath: directory).standardizedFileURL.path, 1)
  }
}
