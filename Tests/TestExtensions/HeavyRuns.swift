// SPDX-License-Identifier: Apache-2.0

// The trait of tests that keep a processor busy for about a second or more. All tests of a process
// begin at once. Heavy ones wait in one line, so that few of them share the processors, and run on
// threads of their own, so that the cooperative pool stays free for tests that wait for a
// notification or for the main actor.

import Foundation
public import Testing

/// Lets the cases of heavy tests run one after the other, whatever their suites are.
public struct HeavyRuns: TestTrait, SuiteTrait, TestScoping {
  /// Three turns for two processors, as heavy tests also wait for the disk; `REALM_HEAVY_TURNS` is
  /// another number.
  private static let gate: TurnGate = {
    let process = ProcessInfo.processInfo
    let named = process.environment["REALM_HEAVY_TURNS"].flatMap(Int.init)
    return TurnGate(width: max(1, named ?? process.activeProcessorCount * 3 / 2))
  }()

  private static let executor = HeavyExecutor()

  /// Whether the begin and the end of each turn are written to the error output
  /// (`REALM_HEAVY_TIMES=1`). A test is reported as started before its turn.
  private static let areTimesWritten =
    ProcessInfo.processInfo.environment["REALM_HEAVY_TIMES"] != nil

  /// Whether the case has a turn by the same mark of its suite: with two of them, cases that have
  /// one each would wait for each other.
  @TaskLocal private static var hasTurn = false

  private static func note(_ line: @autoclosure () -> String) {
    guard areTimesWritten else { return }
    FileHandle.standardError.write(Data("\(line())\n".utf8))
  }

  /// A suite passes the trait on to its tests: each of their cases takes a turn of its own.
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil, !Self.hasTurn else { return try await function() }
    try await Self.gate.withTurn {
      let start = ContinuousClock.now
      Self.note("turn of \(test.id)")
      defer { Self.note("turn: \((ContinuousClock.now - start) / .seconds(1)) s, \(test.id)") }
      try await Self.$hasTurn.withValue(true) {
        try await withTaskExecutorPreference(Self.executor) { try await function() }
      }
    }
  }
}

extension Trait where Self == HeavyRuns {
  /// Marks a test that keeps a processor busy for about a second or more: its cases wait in one
  /// line with those of all other heavy tests.
  ///
  /// Such a test has no limit of time, as the limit would run while the test waits.
  public static var heavy: Self { Self() }
}
