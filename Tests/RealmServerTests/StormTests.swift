// SPDX-License-Identifier: Apache-2.0

// The program `realm-storm`, sized down: devices, their server and all that goes wrong.

#if Server
import Foundation
import RealmTestSupport
import TestTraits
import Testing

/// The program beside the tests.
enum StormProgram {
  private static let folder = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent()

  static var isBuilt: Bool {
    ["realm-storm", "realm-server"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent($0).path)
    }
  }

  /// Runs the program to its end.
  static func run(_ arguments: [String]) throws -> SpawnedProgram.Run {
    try SpawnedProgram.run(folder.appendingPathComponent("realm-storm").path, arguments)
  }
}

@Suite(.enabled(if: StormProgram.isBuilt, "the programs were not built with the tests"))
struct StormTests {
  @Test(.heavy, arguments: ["partition", "flexible"])
  func devicesAndServerAreEqualAfterAStorm(mode: String) throws {
    let directory = try TemporaryDirectory()
    let run = try StormProgram.run([
      "--seed", "4", "--seconds", "6", "--devices", "3", "--mode", mode, "--kills", "4",
      "--faults", "6", "--rule-changes", "4", "--restores", "1", "--patience", "600", "--dir",
      directory.path,
    ])
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.hasPrefix("seed 4\n"))
    #expect(run.output.contains("\n4 kills\n"))
  }

  /// The comparison finds a single value that differs.
  @Test(.heavy) func aDeviceWithAnotherValueIsFound() throws {
    let directory = try TemporaryDirectory()
    let run = try StormProgram.run([
      "--seed", "4", "--seconds", "4", "--devices", "2", "--kills", "0", "--faults", "0",
      "--rule-changes", "0", "--restores", "0", "--patience", "30", "--spoil", "--dir",
      directory.path,
    ])
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("PROBLEM: device0 differs from what a new device gets"))
  }

  @Test func theSeedAndTheOptionsMakeThePlan() throws {
    let arguments = ["--plan", "--seconds", "100", "--seed"]
    let first = try StormProgram.run(arguments + ["4"])
    #expect(first.status == 0 && first.output.split(separator: "\n").count > 50)
    #expect(try StormProgram.run(arguments + ["4"]).output == first.output)
    #expect(try StormProgram.run(arguments + ["5"]).output != first.output)
  }
}
#endif
