// SPDX-License-Identifier: Apache-2.0

// A program that is run to its end, with its time and its memory.

//
// A new process begins with the greatest memory of the one that made it, as Linux counts. So the
// program is run by a small process in between: this program again, with a first argument of its
// own.

import BenchmarkSupport
package import Foundation

/// The cost of a process.
package struct MeasuredProcess: Codable, Sendable {
  package let seconds: Double
  /// The seconds of processors, those of its own processes included.
  package let processorSeconds: Double
  /// The most memory that the process had in use at a time.
  package let peakByteCount: Int

  private static let launch = "--launch-measured"

  /// Runs a program, and waits for its end.
  ///
  /// - Parameters:
  ///   - input: The file that it reads on standard input; nothing without it.
  ///   - output: The file that its standard output goes to.
  /// - Throws: `BenchmarkError` if it does not end with 0.
  package init(
    _ program: String, _ arguments: [String], input: URL? = nil, output: URL
  ) throws {
    let facts = output.appendingPathExtension("facts")
    let code = try Spawned.run(
      Self.ownPath, [Self.launch, facts.path, program] + arguments, input: input, output: output
    ).status
    guard code == 0 else {
      let errors = Spawned.errors(of: output)
      let message = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
      let command = ([program] + arguments).joined(separator: " ")
      throw BenchmarkError("\(command) ended with \(code >> 8 & 0xFF) (\(code)): \(message)")
    }
    self = try JSONDecoder().decode(Self.self, from: try Data(contentsOf: facts))
  }

  private init(seconds: Double, _ usage: rusage) {
    func total(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    self.seconds = seconds
    processorSeconds = total(usage.ru_utime) + total(usage.ru_stime)
    #if canImport(Darwin)
    peakByteCount = Int(usage.ru_maxrss)
    #else
    peakByteCount = Int(usage.ru_maxrss) * 1024
    #endif
  }

  /// The program that runs, to be run again.
  package static var ownPath: String {
    let link = "/proc/self/exe"
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: link))
      ?? CommandLine.arguments[0]
  }

  /// Does the work of the process in between, if this is one, and ends. Programs that measure
  /// others call it first.
  package static func launchIfAsked() {
    let arguments = CommandLine.arguments
    guard arguments.count > 3, arguments[1] == launch else { return }
    do {
      let start = ContinuousClock.now
      let (status, usage) = try Spawned.run(arguments[3], Array(arguments.dropFirst(4)))
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      let facts = try JSONEncoder().encode(MeasuredProcess(seconds: seconds, usage))
      try facts.write(to: URL(filePath: arguments[2]))
      exit(status == 0 ? 0 : status & 0x7F == 0 ? status >> 8 & 0xFF : 1)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }
}
