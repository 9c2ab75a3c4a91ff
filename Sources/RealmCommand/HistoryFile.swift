// SPDX-License-Identifier: Apache-2.0

// The lines of earlier shells.

#if Tools
import Foundation

/// The file with the typed lines.
struct HistoryFile {
  private let path: String
  let lines: [String]

  init() {
    let environment = ProcessInfo.processInfo.environment
    path =
      environment["REALM_HISTORY"] ?? FileManager.default.homeDirectoryForCurrentUser.path
      + "/.realm_history"
    let text = try? String(contentsOfFile: path, encoding: .utf8)
    lines = (text ?? "").split(separator: "\n").map(String.init)
  }

  /// Keeps a line. A history that cannot be written is none: nothing depends on it.
  func append(_ line: String) {
    guard !line.isEmpty, line != lines.last else { return }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard descriptor >= 0 else { return }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    // The line is lost if the disk is full, and nothing else.
    try? handle.write(contentsOf: Data((line + "\n").utf8))
  }
}
#endif
