// SPDX-License-Identifier: Apache-2.0

// The ends of sessions and waits, for tasks.

package import RealmSyncProtocol

extension ClientDriver {
  /// Ends a session, and returns when its file has no request any more.
  package func end(_ session: UInt64) async {
    await withCheckedContinuation { end in self.end(session) { end.resume() } }
  }

  /// Waits until everything is uploaded or downloaded that was there when the wait began.
  ///
  /// - Throws: `SessionFailure`; `.canceled` if the task is cancelled.
  package func wait(
    for kind: SessionWait, of session: UInt64
  ) async throws(SessionFailure) {
    let id = makeName()
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { end in
        wait(for: kind, of: session, id: id) { end.resume(returning: $0) }
        if Task.isCancelled { send(.cancelWait(session: session, id: id)) }
      }
    } onCancel: {
      send(.cancelWait(session: session, id: id))
    }
    if let failure { throw failure }
  }
}
