// SPDX-License-Identifier: Apache-2.0

// The program `realm-todos` without a server: arguments, messages and exit codes.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

private enum TodosProgram {
  /// The program, which is built where the tests are.
  static var url: URL {
    #if canImport(Darwin)
    let tests = Bundle(for: TemporaryDirectory.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
    return tests.deletingLastPathComponent().appendingPathComponent("realm-todos")
  }

  static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: url.path) }
}

@Suite(.enabled(if: TodosProgram.isBuilt, "realm-todos was not built with the tests"))
struct TodosProgramTests {
  /// Runs the program to its end.
  private func run(_ arguments: String...) throws -> (code: Int32, output: String, error: String) {
    let run = try SpawnedProgram.run(TodosProgram.url.path, arguments)
    return (run.status, run.output, run.errors)
  }

  @Test(arguments: ["--help", "-h"]) func helpIsShown(_ word: String) throws {
    let run = try run(word)
    expectEqual(run.code, 0)
    expectTrue(run.error.isEmpty)
    expectTrue(run.output.hasPrefix("usage: realm-todos ["))
  }

  @Test(arguments: [
    ([], "Say what to do: list, add, done, remove or watch."), (["add"], "add needs a name."),
    (["done", "x"], "'x' is no number of a line."), (["done", "0"], "'0' is no number of a line."),
    (["remove"], "remove needs the number of one line."), (["fly"], "There is no action 'fly'."),
    (["list", "all"], "list takes nothing more."), (["--fly"], "There is no option --fly."),
    (["--server"], "--server needs a value."),
    (["--wait", "long", "list"], "--wait needs a number of seconds, not 'long'."),
  ])
  func mistakesAreNamed(_ arguments: [String], _ text: String) throws {
    let run =
      switch arguments.count {
      case 0: try run()
      case 1: try run(arguments[0])
      case 2: try run(arguments[0], arguments[1])
      default: try run(arguments[0], arguments[1], arguments[2])
      }
    expectEqual(run.code, 64)
    expectTrue(run.output.isEmpty)
    expectTrue(run.error.hasPrefix("realm-todos: \(text)\n\nusage:"), "\(run.error)")
  }

  #if Sync
  @Test func anAddressWithoutSchemeIsNamed() throws {
    let directory = try TemporaryDirectory()
    let run = try run("--server", "127.0.0.1:9", "--dir", directory.path, "list")
    expectEqual(run.code, 64)
    expectTrue(run.output.isEmpty)
    expectTrue(run.error.contains("'127.0.0.1:9' is no address of a server"), "\(run.error)")
  }

  @Test func aDeviceThatNeverLoggedInNeedsTheServer() throws {
    let directory = try TemporaryDirectory()
    // Nothing listens at the port of discarded data.
    let run = try run("--server", "http://127.0.0.1:9", "--dir", directory.path, "list")
    expectEqual(run.code, 69)
    expectTrue(run.error.contains("needs the server at http://127.0.0.1:9"))
    expectTrue(run.output.isEmpty)
    let folder = directory.path + "/realm-todos/mongodb-realm/todos"
    expectTrue(FileManager.default.fileExists(atPath: folder))
  }
  #else
  @Test func aBuildWithoutSyncNamesTheTrait() throws {
    let run = try run("list")
    expectEqual(run.code, 64)
    expectTrue(run.output.isEmpty)
    expectTrue(run.error.contains("--traits default,Sync realm-todos"), "\(run.error)")
  }
  #endif
}
