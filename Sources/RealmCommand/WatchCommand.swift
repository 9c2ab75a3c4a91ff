// SPDX-License-Identifier: Apache-2.0

// The changes of other processes.

#if Tools
import ArgumentParser
import RealmFormats
import RealmTools

/// The command `realm watch`.
struct WatchCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Prints the objects that other processes insert, change and delete, until stopped.",
    discussion: """
      With a query, objects that come to match are printed as inserted, and those that match no \
      more as deleted. The file is opened as an app opens it, and not changed.

      Example: realm watch dogs.realm 'Dog WHERE age > 3'
      """)

  @OptionGroup var file: FileOptions
  @Argument(help: "The objects that are of interest: a class or a query.")
  var query: String?
  @Option(help: "End after that many changes.")
  var count: Int?
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  func work() throws -> ExitStatus {
    let watch = try ChangeWatch(path: file.file, key: file.encryption.key(), query: query)
    let sink = ByteSink(descriptor: 1, isForPeople: !output.json)
    // Those who start a writer wait for this line.
    let first: JSONValue = [
      "watching": .string(file.file), "version": .integer(Int64(clamping: watch.version)),
    ]
    try sink.writeLine(
      output.json ? JSONWriter.text(first) : "watching \(file.file) from version \(watch.version)")
    try sink.flush()
    var rest = count ?? .max
    try watch.follow { event in
      try sink.writeLine(output.json ? JSONWriter.text(event.json) : colored(event))
      try sink.flush()
      rest -= 1
      return rest > 0
    }
    return .fine
  }

  private func colored(_ event: ChangeWatch.Event) -> String {
    switch event.kind {
    case .inserted: Terminal.colored(event.text, .green)
    case .modified: Terminal.colored(event.text, .yellow)
    case .deleted: Terminal.colored(event.text, .red)
    }
  }
}
#endif
