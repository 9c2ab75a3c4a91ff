// SPDX-License-Identifier: Apache-2.0

// The options that all programs have.

import ArgumentParser
package import BenchmarkSuites
package import BenchmarkSupport
package import Foundation

/// How many rows and rounds, where, and how the table is shown.
package struct RunOptions: ParsableArguments {
  @Option(help: "The number of rows.")
  package var rows = 1_000_000

  @Option(help: "How often everything is run; the table shows medians.")
  package var rounds = 3

  @Option(help: "The folder for a folder of files; its disk is what is measured.")
  package var folder = ".build/benchmark-files"

  @Flag(help: "Print the table as Markdown.")
  package var markdown = false

  package init() {}

  package func validate() throws {
    guard rows > 0, rounds > 0 else { throw ValidationError("rows and rounds must be positive") }
  }

  /// The same options for another process.
  package var arguments: [String] {
    ["--rows", "\(rows)", "--rounds", "\(rounds)", "--folder", folder]
  }

  /// Calls `body` with a folder that is removed afterwards.
  package func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let scratch = try ScratchFolder(in: folder)
    defer { scratch.remove() }
    return try body(scratch.url)
  }

  /// What a suite is made with.
  package func context(_ folder: URL, durableCount: Int) -> SuiteContext {
    let data = BenchmarkData(count: rows)
    data.checkGenerator()
    return SuiteContext(
      data: data, folder: folder, durableCount: durableCount, progress: Self.progress)
  }

  /// Tells on standard error what is going on.
  package static func progress(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }

  /// Prints the table and its notes.
  package func print(_ report: Report) {
    Swift.print(report.table().text(asMarkdown: markdown))
    for note in report.notes { Swift.print(note) }
  }
}
