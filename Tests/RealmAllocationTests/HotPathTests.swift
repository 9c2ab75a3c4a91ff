// SPDX-License-Identifier: Apache-2.0

// What a hot operation allocates, on the average of many.
//
// The limits are those of debug builds, which allocate more: a rise shows what an optimised build
// would pay as well. `Scripts/instructions` counts the instructions of optimised ones.

import AllocationCounter
import Testing

@Suite(.enabled(if: allocations_are_counted())) struct HotPathTests {
  @Test func readingAllocatesLittle() throws { try HotPaths().read() }

  @Test func writingAllocatesLittle() throws { try HotPaths().write() }

  @Test func queriesAllocateForTheirPlans() throws { try HotPaths().query() }

  /// In a process of its own: what other tests observe of all commits of theirs costs each commit
  /// something.
  @Test func commitsAllocateLittle() async {
    await #expect(processExitsWith: .success) { try HotPaths().commit() }
  }

  @Test func observationAllocatesNothingForAnObject() throws { try HotPaths().observe() }
}
