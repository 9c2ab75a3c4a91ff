// SPDX-License-Identifier: Apache-2.0

// The options of all commands for printing results.

#if Tools
import ArgumentParser
import Foundation
import RealmFormats
import RealmTools

/// How results are printed.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON, for programs.")
  var json = false

  /// Prints a value, or a text for people.
  func print(_ value: @autoclosure () -> JSONValue, _ text: () -> String) throws {
    let sink = ByteSink(descriptor: 1, isForPeople: !json)
    try sink.write(json ? JSONWriter.text(value()) + "\n" : text())
    try sink.finish()
  }
}
#endif
