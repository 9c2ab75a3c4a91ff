// SPDX-License-Identifier: Apache-2.0

// What programs of the package say to `--help`, and to words that they do not know.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

struct ProgramUsageTests {
  /// A program beside the tests.
  private static func url(_ name: String) -> URL {
    #if canImport(Darwin)
    let tests = Bundle(for: TemporaryDirectory.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
    return tests.deletingLastPathComponent().appendingPathComponent(name)
  }

  /// The programs with a command line that were built with the tests.
  private static let programs: [String] = {
    var names = ["realm-cities", "realm-instructions", "realm-sync", "realm-todos"]
    #if Tools
    names += ["realm", "realm-notes"]
    #endif
    #if Server
    names += ["realm-errands", "realm-errands-server", "realm-server", "realm-storm"]
    #endif
    return names.filter { FileManager.default.isExecutableFile(atPath: url($0).path) }
  }()

  private func run(_ name: String, _ words: String...) throws -> (Int32, String, String) {
    let run = try SpawnedProgram.run(Self.url(name).path, words)
    return (run.status, run.output, run.errors)
  }

  @Test(arguments: programs) func helpIsShown(_ name: String) throws {
    let (code, output, errors) = try run(name, "--help")
    expectEqual(code, 0)
    expectEqual(errors, "")
    expectTrue(output.lowercased().contains("usage: \(name)"), "\(output)")
  }

  @Test(arguments: programs) func unknownOptionsAreNamed(_ name: String) throws {
    let (code, output, errors) = try run(name, "--nonsense")
    expectEqual(code, 64)
    expectEqual(output, "")
    let first = errors.prefix { $0 != "\n" }
    expectTrue(first.contains("--nonsense"), "\(errors)")
    expectTrue(errors.lowercased().contains("usage: \(name)"), "\(errors)")
  }

  @Test(.enabled(if: programs.contains("realm-sync")), arguments: ["fly", "parse fly"])
  func unknownRowsAreNamed(_ words: String) throws {
    let words = words.split(separator: " ").map(String.init)
    let run = try SpawnedProgram.run(Self.url("realm-sync").path, words)
    expectEqual(run.status, 64)
    expectEqual(run.output, "")
    expectTrue(run.errors.hasPrefix("realm-sync: There is no row 'fly'.\n\nusage:"))
  }

  #if Server
  @Test(
    .enabled(if: programs.contains("realm-sync")),
    arguments: [
      ("--runs", "--runs needs a value."), ("--mode", "--mode needs a value."),
      ("--runs few", "--runs needs a number above zero, not 'few'."),
      ("--seconds 0", "--seconds needs a number above zero, not '0'."),
      ("--mode none", "--mode knows no 'none'."), ("--store none", "--store knows no 'none'."),
      ("--fly 1", "There is no option --fly."), ("--fly", "There is no option --fly."),
    ])
  func wrongValuesAreNamed(_ words: String, _ text: String) throws {
    let words = words.split(separator: " ").map(String.init)
    let run = try SpawnedProgram.run(Self.url("realm-sync").path, words)
    expectEqual(run.status, 64)
    expectEqual(run.output, "")
    expectTrue(run.errors.hasPrefix("realm-sync: \(text)\n\nusage:"), "\(run.errors)")
  }
  #endif
}
