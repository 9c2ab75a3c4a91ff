// SPDX-License-Identifier: Apache-2.0

// A reader and checker of the file format that shares no code with ours.

import Foundation
package import RealmFormats

/// Runs the reader that was written in Python from the format's description, where it is installed.
package enum ReferenceReader {
  /// The folder of the reader, which is not part of the package.
  private static let shared = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared")

  /// The reader's program, which tests of storage alone also load in part.
  package static let script = shared.appendingPathComponent("tools/read_realm.py").path

  /// The folder of the files in formats preceding 24.
  package static let oldFixtures = shared.appendingPathComponent("fixtures/old-formats").path

  /// Whether the reader can be run here.
  package static let isAvailable =
    FileManager.default.fileExists(atPath: script)
    && FileManager.default.isExecutableFile(atPath: python)

  package static let python = "/usr/bin/python3"

  /// The error if the reader did not accept a file.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The findings of the reader's integrity check: errors, then warnings.
  ///
  /// - Parameter key: The key of an encrypted file, which the reader decrypts slowly.
  package static func check(
    _ path: String, key: [UInt8]? = nil
  ) throws -> (errors: [String], warnings: [String]) {
    let report = try run(["--check", path], key)
    if let error = report["error"]?.string { return ([error], []) }
    func texts(_ name: String) -> [String] { (report[name]?.elements ?? []).compactMap(\.string) }
    return (texts("errors"), texts("warnings"))
  }

  /// The contents of a file, in the layout of the fixtures.
  package static func dump(_ path: String, key: [UInt8]? = nil) throws -> JSONValue {
    try run(["--fixture", path], key)
  }

  private static func run(_ arguments: [String], _ key: [UInt8]?) throws -> JSONValue {
    let digits = key?.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let arguments = arguments + (digits.map { ["--key", $0] } ?? [])
    let run = try SpawnedProgram.run(python, [script] + arguments)
    do {
      return try JSONParser.parse(run.output)
    } catch {
      throw Failure(
        description: "\(arguments): status \(run.status), \(run.output.prefix(500))\(run.errors)")
    }
  }
}
