// SPDX-License-Identifier: Apache-2.0

// The classes of a file.

#if Tools
import ArgumentParser
import RealmDeclarations
import RealmFormats
import RealmTools

/// The command `realm schema`.
struct SchemaCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the classes of a file: as Swift code, JSON or a Mermaid diagram.",
    discussion: "Example: realm schema todos.realm > Models.swift")

  /// The languages of class declarations.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case swift, json, mermaid
  }

  @OptionGroup var file: FileOptions
  @Option(help: "swift, json or mermaid.")
  var format = Format.swift
  @Flag(help: "The same as --format json.")
  var json = false

  func work() throws -> ExitStatus {
    let classes = try file.reader().classes()
    let sink = ByteSink(descriptor: 1)
    switch json ? .json : format {
    case .swift: try sink.write(SwiftSchema(classes).text)
    case .json: try sink.writeLine(JSONWriter.text(SchemaJSON.value(classes)))
    case .mermaid: try sink.write(MermaidSchema(classes).text)
    }
    try sink.finish()
    return .fine
  }
}
#endif
