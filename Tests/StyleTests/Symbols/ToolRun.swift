// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program of the toolchain or of the repository that has run to its end.
struct ToolRun {
  let status: Int32
  /// What it wrote to its standard output.
  let output: String
  /// What it wrote to its standard error.
  let errors: String

  /// Runs a program.
  init(_ path: String, _ arguments: [String]) throws {
    // A pipe would stop a program that writes more than it holds.
    let files = ["output", "errors"].map {
      FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString).\($0)")
    }
    for file in files { try Data().write(to: file) }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    output = String(decoding: try Data(contentsOf: files[0]), as: UTF8.self)
    errors = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
  }
}
