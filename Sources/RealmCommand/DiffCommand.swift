// SPDX-License-Identifier: Apache-2.0

// The command `realm diff`.

#if Tools
import ArgumentParser
import RealmFormats
import RealmTools

/// The command `realm diff`.
struct DiffCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compares classes and objects of two files; exit code 1 if they differ.",
    discussion: """
      Objects are the same if their primary keys are; without primary key, if their object keys \
      are. Lines begin with - for what only the first file has, + for the second, ~ for objects \
      with other values.

      Example: realm diff yesterday.realm today.realm
      """)

  @OptionGroup var file: FileOptions
  @Argument(help: "The second file.", completion: .file())
  var second: String
  @Option(help: "The file with the key of the second file, if it is another one.")
  var secondKeyFile: String?
  @OptionGroup var output: OutputOptions

  func work() throws -> ExitStatus {
    let key = try secondKeyFile.map { try KeyFile.key(at: $0) } ?? file.encryption.key()
    let first = try file.reader()
    let other = try RealmReader(path: second, key: key)
    let sink = ByteSink(descriptor: 1, isForPeople: !output.json)
    let progress = ProgressLine("comparing")
    let count = try first.reading { left in
      try other.reading { right in
        try FileDifference(left, right).forEach(progress: progress.report) { change in
          try sink.writeLine(output.json ? JSONWriter.text(change.json) : colored(change.text))
        }
      }
    }
    progress.clear()
    try sink.finish()
    return count == 0 ? .fine : .found
  }

  private func colored(_ text: String) -> String {
    switch text.first {
    case "-": Terminal.colored(text, .red)
    case "+": Terminal.colored(text, .green)
    default: text
    }
  }
}
#endif
