// SPDX-License-Identifier: Apache-2.0

// The gate of the heavy tests.

import Foundation
import Synchronization
import TestExtensions
import Testing

struct TurnGateTests {
  /// What the tasks of a test did, in their order.
  private final class Log: Sendable {
    private struct State {
      var running = 0
      var most = 0
      var order: [Int] = []
    }

    private let state = Mutex(State())

    var most: Int { state.withLock(\.most) }
    var order: [Int] { state.withLock(\.order) }

    func begin(_ number: Int) {
      state.withLock { state in
        state.running += 1
        state.most = max(state.most, state.running)
        state.order.append(number)
      }
    }

    func end() { state.withLock { $0.running -= 1 } }
  }

  private func waitUntil(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// `TurnGate` 1
  @Test(arguments: [1, 2, 3]) func noMoreTasksRunThanThereAreTurns(width: Int) async throws {
    let (gate, log) = (TurnGate(width: width), Log())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          try await gate.withTurn {
            log.begin(number)
            try await Task.sleep(for: .milliseconds(1))
            log.end()
          }
        }
      }
      try await group.waitForAll()
    }
    expectTrue(log.order.sorted() == Array(0..<40))
    expectTrue(log.most == width)
  }

  /// `TurnGate` 2
  @Test func tasksHaveTheirTurnsInTheOrderInWhichTheyCame() async throws {
    let (gate, log) = (TurnGate(width: 1), Log())
    try await withThrowingTaskGroup(of: Void.self) { group in
      try await gate.withTurn {
        for number in 0..<10 {
          group.addTask { try await gate.withTurn { log.begin(number) } }
          try await waitUntil { gate.waitingCount == number + 1 }
        }
      }
      try await group.waitForAll()
    }
    expectTrue(log.order == Array(0..<10))
  }

  /// `TurnGate` 3
  @Test func aCancelledTaskLeavesTheLineAlone() async throws {
    let (gate, log) = (TurnGate(width: 1), Log())
    var tasks: [Task<Void, any Error>] = []
    try await gate.withTurn {
      for number in 0..<3 {
        tasks.append(Task { try await gate.withTurn { log.begin(number) } })
        try await waitUntil { gate.waitingCount == number + 1 }
      }
      tasks[1].cancel()
      try await waitUntil { gate.waitingCount == 2 }
    }
    try await tasks[0].value
    await #expect(throws: CancellationError.self) { try await tasks[1].value }
    try await tasks[2].value
    expectTrue(log.order == [0, 2])
    try await gate.withTurn { log.begin(3) }
    expectTrue(log.order == [0, 2, 3])
  }

  /// The turn of a test that fails goes to the next.
  @Test func anErrorGivesTheTurnBack() async throws {
    struct Failure: Error {}
    let gate = TurnGate(width: 1)
    await #expect(throws: Failure.self) { try await gate.withTurn { throw Failure() } }
    try await gate.withTurn {}
  }
}
