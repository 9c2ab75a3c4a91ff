// SPDX-License-Identifier: Apache-2.0

// Runs one hot operation a number of times, below a program that counts instructions.
//
//   realm-instructions --list        the names of the operations, each with a number of times
//   realm-instructions --time        the nanoseconds that each takes, the best of several runs
//   realm-instructions NAME COUNT    runs an operation so many times
//
// `Scripts/instructions` counts the instructions of two runs, one with twice the times of the
// other: their difference is what the operation costs, without the start of the program.

import Foundation
import RealmSwift

@main
enum RealmInstructions {
  @MainActor
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["--list"] {
      for operation in Operation.allCases { print(operation.rawValue, operation.count) }
      return
    }
    if arguments == ["--time"] {
      let state = try OperationState()
      for operation in Operation.allCases where operation != .start {
        print(operation.rawValue, try state.nanoseconds(of: operation))
      }
      return
    }
    let usage = "usage: realm-instructions --list | --time | NAME COUNT\n"
    if arguments.contains("--help") || arguments.contains("-h") {
      return print(usage, terminator: "")
    }
    guard arguments.count == 2, let operation = Operation(rawValue: arguments[0]),
      let count = Int(arguments[1])
    else {
      let words = arguments.isEmpty ? "" : "Unknown: \(arguments.joined(separator: " "))\n\n"
      FileHandle.standardError.write(Data("realm-instructions: \(words)\(usage)".utf8))
      exit(64)
    }
    if operation == .start {
      // A process starts once: the first time does nothing, and is what is taken off.
      print(count > 1 ? try OperationState.start() : 0)
    } else {
      print(try OperationState().run(operation, count))
    }
  }
}
