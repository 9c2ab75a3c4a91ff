// SPDX-License-Identifier: Apache-2.0

// Marks of heavy tests.

import TestExtensions
import Testing

/// A suite and its test are both marked: each case takes one turn, or the cases would wait for each
/// other without end.
@Suite(.heavy) struct HeavyRunsTests {
  @Test(.heavy, arguments: 0..<32) func aCaseWithTwoMarksTakesOneTurn(_ number: Int) async {
    // Others begin meanwhile.
    for _ in 0..<10 { await Task.yield() }
    expectTrue(number < 32)
  }
}
