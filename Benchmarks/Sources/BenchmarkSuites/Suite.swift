// SPDX-License-Identifier: Apache-2.0

// A group of rows that are measured together, round after round.

package import BenchmarkSupport
package import Foundation

/// What suites are made with.
package struct SuiteContext {
  package let data: BenchmarkData
  /// Where the files of the run are: the disk that is measured.
  package let folder: URL
  /// The number of durable commits in a round.
  package let durableCount: Int
  /// Tells what is going on.
  package let progress: (String) -> Void

  package init(
    data: BenchmarkData, folder: URL, durableCount: Int,
    progress: @escaping (String) -> Void = { _ in }
  ) {
    self.data = data
    self.folder = folder
    self.durableCount = durableCount
    self.progress = progress
  }
}

/// Rows that are measured with the same files.
package protocol Suite: AnyObject {
  /// Measures each row once, in all engines in turns, and adds what it took.
  ///
  /// - Parameter round: Which engine has the first turn.
  /// - Throws: `BenchmarkError` if an engine gives a wrong answer.
  func measure(round: Int, _ report: inout Report) throws
}

extension Suite {
  /// Measures all rows so many times.
  package func measure(rounds: Int) throws -> Report {
    var report = Report()
    for round in 0..<rounds { try measure(round: round, &report) }
    return report
  }

  /// The seconds that `body` takes, whose answer must be right.
  func timed(_ what: String, expecting expected: Int, _ body: () throws -> Int) throws -> Double {
    var answer = 0
    let time = try ContinuousClock().measure { answer = try body() }
    guard answer == expected else {
      throw BenchmarkError("\(what): \(answer) instead of \(expected)")
    }
    return time / .seconds(1)
  }
}
