// SPDX-License-Identifier: Apache-2.0

// A temporary directory for the files of one test.

import Foundation

/// A new directory that is removed with its contents when the value's last owner is released.
package final class TemporaryDirectory: Sendable {
  /// The path of the directory, without a slash at the end.
  package let path: String

  /// Makes a directory that no other test uses.
  package init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("realm-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in the directory.
  package func file(_ name: String) -> String { path + "/" + name }

  /// Copies a file into the directory, under its own name, and makes the copy writable.
  ///
  /// - Returns: The path of the copy.
  package func copy(of source: String) throws -> String {
    let target = file((source as NSString).lastPathComponent)
    try FileManager.default.copyItem(atPath: source, toPath: target)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
    return target
  }
}
