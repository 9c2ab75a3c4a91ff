// SPDX-License-Identifier: Apache-2.0

// What the scripts say to `--help`, and to options that they do not have.

import Foundation
import Testing

struct ScriptUsageTests {
  /// All scripts but one that passes its words on.
  private static let scripts: [String] = {
    let folder = Repository.root.appending(path: "Scripts").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { folder + "/" + $0 }.filter {
      FileManager.default.isExecutableFile(atPath: $0) && !$0.hasSuffix("/style")
    }
  }()

  @Test func thereAreScripts() { #expect(Self.scripts.count > 10) }

  @Test(arguments: scripts) func helpIsShown(_ script: String) throws {
    let run = try ToolRun(script, ["--help"])
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output.contains("Scripts/" + (script as NSString).lastPathComponent))
  }

  @Test(arguments: scripts) func mistakesAreNamed(_ script: String) throws {
    let run = try ToolRun(script, ["--nonsense"])
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("error: "))
    #expect(run.errors.contains("Scripts/" + (script as NSString).lastPathComponent))
  }
}
