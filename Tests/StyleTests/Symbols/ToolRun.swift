// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program of the toolchain or of the repository that has run to its end.
struct ToolRun {
  let status: Int32
  /// What it wrote to its standard error.
  let errors: String

  /// Runs a program; its standard output is not kept.
  init(_ path: String, _ arguments: [String]) throws {
    // A pipe would stop a program that writes more than it holds.
    let file = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: file)
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    errors = String(decoding: try Data(contentsOf: file), as: UTF8.self)
  }
}
