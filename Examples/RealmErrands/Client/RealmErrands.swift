// SPDX-License-Identifier: Apache-2.0

// A client of the errands:
//
//   swift run --traits Server realm-errands http://127.0.0.1:9091 ann sesame add Buy milk
//   swift run --traits Server realm-errands http://127.0.0.1:9091 ann sesame list

import ErrandModels
import Foundation
import RealmSwift

@main
enum RealmErrands {
  private static let usage = """
    usage: realm-errands SERVER NAME WORD list | add TEXT | done NUMBER | tidy

    """

  @MainActor
  static func main() async {
    do {
      try await run()
    } catch {
      stop("realm-errands: \(error.localizedDescription)\n", code: 1)
    }
  }

  @MainActor
  private static func run() async throws {
    #if Sync
    let arguments = CommandLine.arguments
    if arguments.contains("--help") { return write(usage) }
    guard arguments.count > 4 else { return misuse(arguments) }
    Logger.shared.level = .error
    let list = try await ErrandList(
      Ticket(name: arguments[2], word: arguments[3]),
      at: AppConfiguration(baseURL: arguments[1]))
    switch (arguments[4], arguments.count) {
    case ("list", 5):
      for (index, errand) in list.errands.enumerated() {
        write("\(index + 1). [\(errand.isDone ? "x" : " ")] \(errand.text)\n")
      }
      let summary = try await list.summary()
      write("\(summary.open) to do, \(summary.done) done\n")
    case ("add", 6...): try await list.add(arguments[5...].joined(separator: " "))
    case ("done", 6):
      guard let number = Int(arguments[5]), number > 0, number <= list.errands.count else {
        return stop("There is no errand \(arguments[5]).\n")
      }
      try await list.finish(list.errands[number - 1])
    case ("tidy", 5): write("\(try await list.tidy()) removed\n")
    default: misuse(arguments)
    }
    #else
    stop("Build the client with: swift run --traits Server realm-errands …\n")
    #endif
  }

  private static func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  /// Says that nothing can be done with the words of the command line.
  private static func misuse(_ arguments: [String]) {
    let words = arguments.dropFirst().joined(separator: " ")
    stop("realm-errands: Nothing can be done with '\(words)'.\n\n\(usage)")
  }

  private static func stop(_ text: String, code: Int32 = 64) {
    FileHandle.standardError.write(Data(text.utf8))
    exit(code)
  }
}
