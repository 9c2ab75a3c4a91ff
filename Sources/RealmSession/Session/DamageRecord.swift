// SPDX-License-Identifier: Apache-2.0

// The damage that the body of a snapshot meets.
//
// A record is looked for where damage is met, so reads of whole files cost nothing more.
//
// Invariants:
// 1. It is found by tasks and threads inside of the body: its own, and the tasks started there.
//    After the end of the body it takes nothing any more.

package import RealmStorage

/// The first damage that is met in one session while a body runs.
package final class DamageRecord: Sendable {
  private struct State {
    var first: StorageError?
    var isOpen = true
  }

  @TaskLocal private static var current: DamageRecord?

  private let session: ObjectIdentifier
  private let outer: DamageRecord?
  private let state = Locked(State())

  private init(_ session: Session, within outer: DamageRecord?) {
    self.session = ObjectIdentifier(session)
    self.outer = outer
  }

  /// Runs `body`, in which reads of `session` go on where they meet damage.
  ///
  /// - Returns: What `body` returned or threw, and the first damage that was met.
  package static func collect<Value>(
    in session: Session, _ body: () throws -> Value
  ) -> (result: Result<Value, any Error>, damage: StorageError?) {
    let record = DamageRecord(session, within: current)
    let result = $current.withValue(record) { Result { try body() } }
    return (result, record.close())
  }

  /// The record of the damage that the caller meets in `session`; nil outside of a body.
  static func of(_ session: Session) -> DamageRecord? {
    var record = current
    while let candidate = record {
      if candidate.session == ObjectIdentifier(session), candidate.isOpen { return candidate }
      record = candidate.outer
    }
    return nil
  }

  private var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Whether damage was met.
  var hasDamage: Bool { state.withLock { $0.first != nil } }

  func note(_ damage: StorageError) {
    state.withLock { if $0.first == nil { $0.first = damage } }
  }

  private func close() -> StorageError? {
    state.withLock { state in
      state.isOpen = false
      return state.first
    }
  }
}
