// SPDX-License-Identifier: Apache-2.0

// The command `realm generate`: made-up objects.

#if Tools
import ArgumentParser
import RealmFormats
import RealmTools

/// The command `realm generate`.
struct GenerateCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Adds made-up objects to the classes of a file, the same for the same seed.",
    discussion: "Example: realm generate dogs.realm --rows 1000 --class Dog --seed 7")

  @OptionGroup var file: FileOptions
  @Option(help: "How many objects each class gets.")
  var rows = 100
  @Option(name: .customLong("class"), help: "The one class that gets objects.")
  var className: String?
  @Option(help: "The number that all values depend on.")
  var seed: UInt64 = 1
  @OptionGroup var writing: WriteOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard rows > 0 else { throw ValidationError("--rows must be at least 1.") }
  }

  func work() throws -> ExitStatus {
    let progress = ProgressLine("generating")
    let counts = try SampleData.generate(
      try file.writer(waiting: writing.waiting(for: file.file)), rowCount: rows,
      className: className, seed: seed,
      progress: progress.report)
    progress.clear()
    try output.print(
      .object(counts.map { .init($0.name, .integer(Int64($0.count))) })
    ) { counts.map { "\($0.name): \(TextTable.count($0.count, "object"))\n" }.joined() }
    return .fine
  }
}
#endif
