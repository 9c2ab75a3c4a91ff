// SPDX-License-Identifier: Apache-2.0

// Stopping a statement of the shell, and not the shell.
//
// 1. A statement that is stopped has changed nothing, and an open transaction goes on as it was
//    before.

#if Tools
import Synchronization

/// The wish to stop the running statement.
package final class StatementStop: Sendable {
  /// The end of a statement that was stopped.
  package struct Stopped: Error {}

  /// What Control-C stops in the place of the program.
  private static let shared = Mutex<StatementStop?>(nil)

  private let flag = Atomic(false)

  package init() {}

  /// What Control-C stops in the place of the program; nil if it stops that.
  package static var current: StatementStop? { shared.withLock { $0 } }

  /// Lets Control-C stop the statement that runs, and not the program.
  package func makeCurrent() { Self.shared.withLock { $0 = self } }

  /// Stops the running statement. May be called on any thread.
  package func request() { flag.store(true, ordering: .relaxed) }

  /// Begins a statement.
  package func reset() { flag.store(false, ordering: .relaxed) }

  package var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// - Throws: `Stopped` if the statement is to end.
  package func check() throws {
    if isRequested { throw Stopped() }
  }
}
#endif
