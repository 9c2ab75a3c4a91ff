// SPDX-License-Identifier: Apache-2.0

// Uploads that are integrated in one transaction.
//
// Invariants:
// 1. What follows a refused upload in the same client's history is refused with it.

import RealmSyncProtocol

/// Uploads of one transaction, in the order of their arrival.
struct UploadGroup: Sendable {
  private(set) var attempts: [UploadAttempt]

  init(_ attempts: [UploadAttempt]) { self.attempts = attempts }

  subscript(number: Int) -> UploadAttempt {
    get { attempts[number] }
    _modify { yield &attempts[number] }
  }

  var count: Int { attempts.count }

  /// Whether an upload is left that is not refused.
  var isOpen: Bool { attempts.contains { $0.refusal == nil } }

  /// The positions of the uploads that are not refused.
  var openNumbers: [Int] { attempts.indices.filter { attempts[$0].refusal == nil } }

  /// Leaves an upload out, and those that follow it in the same client's history.
  mutating func refuse(_ number: Int, _ refusal: SessionRefusal) {
    let file = attempts[number].upload.file
    for later in attempts.indices.dropFirst(number) where attempts[later].upload.file == file {
      attempts[later].refuse(refusal)
    }
  }

  /// The first upload with writes to properties hidden from its author, and these; nil if there is
  /// none.
  func hiddenWrites(_ base: MergeBase) -> (number: Int, writes: RefusedWrites)? {
    for number in openNumbers {
      let attempt = attempts[number]
      guard let hidden = attempt.hidden, let file = base.files[attempt.upload.file]?.file
      else { continue }
      let writes = hidden.refusedWrites(of: attempt.newEntries(file))
      if !writes.isEmpty { return (number, writes) }
    }
    return nil
  }
}
