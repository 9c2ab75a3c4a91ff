// SPDX-License-Identifier: Apache-2.0

// One server a folder: two would take its realms from each other again and again.

#if Server
import NIOConcurrencyHelpers

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The right to serve a folder, until it is released or the process ends.
package final class DirectoryLock: Sendable {
  /// A command that asks whether the folder is free has it for a moment.
  private static let attemptCount = 5

  private let descriptor: NIOLockedValueBox<CInt>

  package init(_ directory: String) throws(ServerFailure) {
    let path = directory + "/lock"
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw ServerFailure("\(path) cannot be opened. Change the folder's permissions.")
    }
    var isLocked = false
    for attempt in 0..<Self.attemptCount where !isLocked {
      if attempt > 0 { usleep(20_000) }
      isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
    guard isLocked else {
      close(descriptor)
      throw ServerFailure(
        "Another realm-server uses the folder \(directory). Stop it, or choose another with --dir.")
    }
    self.descriptor = NIOLockedValueBox(descriptor)
  }

  deinit { release() }

  /// Whether no server uses a folder. One whose lock this account may not look at counts as used.
  static func isFree(_ directory: String) -> Bool {
    let descriptor = unsafe open(directory + "/lock", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) == 0
  }

  /// Lets another server use the folder.
  package func release() {
    descriptor.withLockedValue { descriptor in
      guard descriptor >= 0 else { return }
      // A process that this one has just started may still have a copy of the descriptor.
      flock(descriptor, LOCK_UN)
      close(descriptor)
      descriptor = -1
    }
  }
}
#endif
