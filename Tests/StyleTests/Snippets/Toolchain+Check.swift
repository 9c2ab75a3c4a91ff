// SPDX-License-Identifier: Apache-2.0

// Type checking of small programs that use the library as it was built with this test.

import Foundation
import TestExtensions

extension Toolchain {
  /// Checks a program; its text is by the name of the file. Returns what the compiler reports, with
  /// warnings.
  func check(_ files: [String: String]) throws -> String {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "realm-check-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    let arguments =
      [
        "-typecheck", "-swift-version", "6", "-module-name", "Program", "-diagnostic-style",
        "llvm", "-I", modules.path,
      ] + ModuleMaps.options(products: products)
      + (files["main.swift"] == nil ? ["-parse-as-library"] : [])
      + files.keys.sorted().map { folder.appending(path: $0).path }
    let run = try ToolRun(tools.appending(path: "bin/swiftc").path, arguments)
    guard run.status == 0 || !run.errors.isEmpty else {
      throw ToolFailure(tool: "swiftc", status: run.status)
    }
    return run.errors
  }
}
