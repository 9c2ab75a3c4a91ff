// SPDX-License-Identifier: Apache-2.0

// The traces of the specification (P1 D.2), which are text files: an input, a line, its effects.

import Foundation
import TestExtensions
import Testing

/// `REALM_RENEW_TRACES=1` writes the effects that the machine gives into the files.
struct TraceTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Traces")

  private static let names = [
    "new-flexible-file", "resumed-flexible-file", "partition", "fresh-copy", "transient-error",
    "suspended-session",
  ]

  /// What the machine makes of the inputs of a trace, as a trace.
  private static func run(_ text: String) throws -> String {
    var client: TraceClient?
    var blocks: [String] = []
    for block in text.split(separator: "\n\n", omittingEmptySubsequences: true) {
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      let inputs = Array(lines.prefix { $0 != "----" })
      var effects: [String] = []
      var index = 0
      while index < inputs.count {
        let line = inputs[index]
        index += 1
        if line.hasPrefix("#") || line.isEmpty { continue }
        if line.hasPrefix("client ") {
          client = TraceClient(line.dropFirst("client ".count))
          continue
        }
        let details = inputs[index...].prefix { $0.hasPrefix("  ") }
        index += details.count
        guard client != nil else {
          throw TraceClient.Mistake(description: "no client before '\(line)'")
        }
        effects += try client?.effects(of: line, details.map { $0.dropFirst(2) }) ?? []
      }
      let isComment = inputs.allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("client ") }
      blocks.append(
        (inputs.map(String.init) + (isComment ? [] : ["----"] + effects)).joined(separator: "\n"))
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// SY8
  @Test(arguments: names) func aTraceIsWhatTheMachineDoes(_ name: String) throws {
    let file = Self.folder.appendingPathComponent(name + ".txt")
    let text = try String(contentsOf: file, encoding: .utf8)
    let found = try Self.run(text)
    if ProcessInfo.processInfo.environment["REALM_RENEW_TRACES"] != nil {
      return try Data(found.utf8).write(to: file)
    }
    expectEqual(found, text, "another run than \(name).txt has")
    try expectEqual(Self.run(text), found)
  }
}
