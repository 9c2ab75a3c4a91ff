// SPDX-License-Identifier: Apache-2.0

// Writing to a realm file.

#if Tools
import Foundation
package import RealmStorage
package import RealmTables

/// A realm file for tools to write to as an app does, one transaction at a time.
package final class RealmWriter: Sendable {
  package let path: String
  package let file: DatabaseFile
  package let schemas = SchemaCache()
  private let waiting: Waiting

  /// The wait of a transaction for those of other processes.
  package struct Waiting: Sendable {
    /// For how many seconds; without end if it is nil.
    package var limit: Double?
    /// Called once when a transaction has waited for a second.
    package var notice: @Sendable () -> Void
    /// Ends the wait, too.
    package var stop: StatementStop?

    package init(limit: Double? = nil, notice: @escaping @Sendable () -> Void = {}) {
      self.limit = limit
      self.notice = notice
    }
  }

  /// - Parameter creates: Whether a missing file is made.
  package init(
    path: String, key: EncryptionKey? = nil, creates: Bool, waiting: Waiting = Waiting()
  ) throws(ToolFailure) {
    self.path = path
    self.waiting = waiting
    do throws(StorageError) {
      file = try DatabaseFile.open(
        path: path, options: OpenOptions(mustExist: !creates, encryptionKey: key))
    } catch { throw ToolFailure(error) }
  }

  /// The newest version.
  package func group() throws(StorageError) -> TableGroup {
    try TableGroup(try file.snapshot(), schemas: schemas)
  }

  /// Begins a transaction. It waits for those of other processes.
  ///
  /// - Throws: `ToolFailure` if they take longer than the limit; `StatementStop.Stopped`.
  package func begin() throws -> WriteGroup {
    let signal = DispatchSemaphore(value: 0)
    let place = WriterPlace(identity: UInt(bitPattern: ObjectIdentifier(self)))
    let waiter = file.enqueueWriter(at: place) { signal.signal() }
    let start = DispatchTime.now()
    var hasNoticed = false
    while true {
      if let transaction = try file.writers.take(waiter) {
        return try WriteGroup(transaction, schemas: schemas)
      }
      let now = DispatchTime.now()
      let waited = Double(now.uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
      if waited >= 1, !hasNoticed {
        hasNoticed = true
        waiting.notice()
      }
      if let limit = waiting.limit, waited >= limit {
        file.writers.withdraw(waiter)
        throw ToolFailure(
          .busy,
          "Another process has been writing to '\(path)' for \(Int(waited.rounded())) seconds. End "
            + "it, or wait longer with --wait.")
      }
      if waiting.stop?.isRequested == true {
        file.writers.withdraw(waiter)
        throw StatementStop.Stopped()
      }
      // Nobody signals a stop: it is looked at now and then.
      let rest = min(
        hasNoticed ? .infinity : 1 - waited, (waiting.limit ?? .infinity) - waited,
        waiting.stop == nil ? .infinity : 0.1)
      _ = signal.wait(timeout: rest.isFinite ? now + rest : .distantFuture)
    }
  }

  /// Runs `body` in a transaction, undone if it throws or returns nil.
  package func write<R>(_ body: (WriteGroup) throws -> R?) throws -> R? {
    let group = try begin()
    return try group.orRollback {
      guard let result = try body(group) else {
        group.rollback()
        return nil
      }
      _ = try group.commit()
      return result
    }
  }
}
#endif
