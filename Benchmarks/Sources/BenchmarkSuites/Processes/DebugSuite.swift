// SPDX-License-Identifier: Apache-2.0

// What hot operations take in a debug build, as an app has it while it is developed.

package import BenchmarkSupport
import Foundation

/// The operations of `realm-instructions`, built for debug and for release.
package final class DebugSuite: Suite {
  private let context: SuiteContext
  private let programs: ProgramPaths

  package init(_ context: SuiteContext, _ programs: ProgramPaths) {
    self.context = context
    self.programs = programs
  }

  package func measure(round: Int, _ report: inout Report) throws {
    context.progress("round \(round + 1): debug builds")
    for program in [programs.debugOperations, programs.operations]
    where !FileManager.default.isExecutableFile(atPath: program) {
      let row = ReportRow("debug", "hot operations in a debug build", .ratio)
      return report.note(
        "not measured. In the root: swift build --product realm-instructions, and the same with "
          + "-c release", in: row)
    }
    let release = try times(programs.operations)
    for (name, debug) in try times(programs.debugOperations) {
      guard let time = release.first(where: { $0.name == name })?.seconds else { continue }
      report.add(
        debug, Report.ours, to: ReportRow("debug-\(name)", "\(name), debug build", .nanoseconds))
      report.add(
        debug / time, Report.ours,
        to: ReportRow(
          "debug-ratio-\(name)", "\(name), debug build, × a release build", .ratio,
          goals: [.atMost(10)]))
    }
  }

  /// What the operations take, as a build of the program says.
  private func times(_ program: String) throws -> [(name: String, seconds: Double)] {
    let output = context.folder.appending(path: "times.txt")
    _ = try MeasuredProcess(program, ["--time"], output: output)
    let text = try String(contentsOf: output, encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      let words = line.split(separator: " ")
      guard words.count == 2, let nanoseconds = Double(words[1]) else {
        throw BenchmarkError("\(program) said: \(line)")
      }
      return (String(words[0]), nanoseconds / 1e9)
    }
  }
}
