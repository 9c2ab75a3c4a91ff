// SPDX-License-Identifier: Apache-2.0

// Uploads that are integrated together: in one transaction, or in several one after the other.
//
// Invariants:
// 1. What follows a refused upload in the same client's history is refused with it.

import RealmSyncProtocol

/// Uploads in the order of their arrival.
struct UploadGroup: Sendable {
  private(set) var attempts: [UploadAttempt]

  init(_ attempts: [UploadAttempt]) { self.attempts = attempts }

  subscript(number: Int) -> UploadAttempt {
    get { attempts[number] }
    _modify { yield &attempts[number] }
  }

  var count: Int { attempts.count }

  /// Whether an upload waits for its transaction.
  var isOpen: Bool { attempts.contains { $0.isOpen } }

  /// The positions of the uploads that wait for their transaction.
  var openNumbers: [Int] { attempts.indices.filter { attempts[$0].isOpen } }

  /// Whether an upload was refused.
  var hasRefusals: Bool {
    attempts.contains { if case .refused = $0.outcome { true } else { false } }
  }

  /// Leaves an upload out, and those that follow it in the same client's history.
  mutating func refuse(_ number: Int, _ refusal: SessionRefusal) {
    let file = attempts[number].upload.file
    for later in attempts.indices.dropFirst(number) where attempts[later].upload.file == file {
      attempts[later].end(.refused(refusal))
    }
  }

  /// Whether an upload waits that follows another one in the same client's history.
  func isFollowed(_ number: Int) -> Bool {
    let file = attempts[number].upload.file
    return attempts.dropFirst(number + 1).contains { $0.upload.file == file && $0.isOpen }
  }

  /// The first upload with writes to properties hidden from its author that are not left out, and
  /// these; nil if there is none.
  func hiddenWrites(_ base: MergeBase) -> (number: Int, writes: RefusedWrites)? {
    for number in openNumbers {
      let attempt = attempts[number]
      guard let hidden = attempt.hidden, let file = base.files[attempt.upload.file]?.file
      else { continue }
      let writes = hidden.refusedWrites(of: attempt.newEntries(file))
      if !writes.isEmpty, !attempt.leavesOut(writes) { return (number, writes) }
    }
    return nil
  }
}
