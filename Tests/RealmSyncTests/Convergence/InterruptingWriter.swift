// SPDX-License-Identifier: Apache-2.0

// A program that writes whenever an integration has made a version, before it goes on.

import RealmStorage
import RealmTestSupport

/// Writes between the commits of an integration, on the thread that commits.
final class InterruptingWriter: @unchecked Sendable {
  // Sendable: the run waits while the agent's thread uses it.

  private(set) var writer: RandomWriter
  private(set) var versions: [UInt64] = []
  private(set) var error: (any Error)?
  private let device: TestDevice
  private var isWriting = false
  private var listener: VersionListener?

  init(_ device: TestDevice, _ writer: RandomWriter) {
    self.device = device
    self.writer = writer
  }

  func begin() throws {
    listener = try device.file.onNewVersion { [weak self] _ in self?.write() }
  }

  func end() throws {
    listener?.cancel()
    listener = nil
    if let error { throw error }
  }

  private func write() {
    guard !isWriting, error == nil else { return }
    isWriting = true
    defer { isWriting = false }
    do {
      versions.append(try device.write { try writer.write($0) })
    } catch {
      self.error = error
    }
  }
}
