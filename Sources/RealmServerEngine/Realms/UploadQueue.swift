// SPDX-License-Identifier: Apache-2.0

// Waiting uploads.

/// The uploads of a realm in the order of their arrival, with their waiting callers.
struct UploadQueue {
  private var uploads: [(upload: Upload, waiter: CheckedContinuation<UploadOutcome, Never>)] = []

  var isEmpty: Bool { uploads.isEmpty }

  mutating func append(_ upload: Upload, _ waiter: CheckedContinuation<UploadOutcome, Never>) {
    uploads.append((upload, waiter))
  }

  /// Takes the uploads for the next transaction.
  mutating func takeGroup(
    _ limits: GroupCommit
  ) -> (uploads: [Upload], waiters: [CheckedContinuation<UploadOutcome, Never>]) {
    let count = limits.count(of: uploads.map(\.upload))
    let group = uploads.prefix(count)
    defer { uploads.removeFirst(count) }
    return (group.map(\.upload), group.map(\.waiter))
  }
}
