// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestExtensions
import Testing

struct ExpectationTests {
  /// The text of the one issue in a call.
  private func issue(_ call: () -> Void) -> String {
    let text = Mutex("")
    withKnownIssue {
      call()
    } matching: { issue in
      text.withLock { $0 += "\(issue)" }
      return true
    }
    return text.withLock { $0 }
  }

  @Test func aFailureShowsItsLineAndComment() {
    let count = 3
    let high = issue { expectTrue(count > 5, "too few") }
    #expect(high.contains("expectTrue(count > 5"))
    #expect(high.contains("too few"))
    let low = issue { expectFalse(count > 2) }
    #expect(low.contains("expectFalse(count > 2)"))
  }

  @Test func whatHoldsIsNoIssue() {
    expectTrue(true)
    expectFalse(false)
  }
}
