// SPDX-License-Identifier: Apache-2.0

// The uploads that wait for their turn.

/// The uploads of a realm in the order of their arrival, with their waiting callers.
struct UploadQueue {
  private var uploads:
    [(attempt: UploadAttempt, waiter: CheckedContinuation<UploadOutcome, Never>)] =
      []

  var isEmpty: Bool { uploads.isEmpty }

  mutating func append(
    _ attempt: UploadAttempt, _ waiter: CheckedContinuation<UploadOutcome, Never>
  ) {
    uploads.append((attempt, waiter))
  }

  /// Takes the uploads for the next transaction.
  mutating func takeGroup(
    _ limits: GroupCommit
  ) -> (attempts: [UploadAttempt], waiters: [CheckedContinuation<UploadOutcome, Never>]) {
    let count = limits.count(of: uploads.map(\.attempt.upload))
    let group = uploads.prefix(count)
    defer { uploads.removeFirst(count) }
    return (group.map(\.attempt), group.map(\.waiter))
  }
}
