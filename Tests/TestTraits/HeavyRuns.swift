// SPDX-License-Identifier: Apache-2.0

// The trait of tests that keep a processor busy for about a second or more. All tests of a process
// begin at once; without a gate the heavy ones would take every thread of the cooperative pool for
// minutes, and tests that wait for a notification or for the main actor could not go on.

import Foundation
public import Testing

/// Lets the cases of heavy tests run one after the other, whatever their suites are.
public struct HeavyRuns: TestTrait, SuiteTrait, TestScoping {
  /// One turn for each two processors, so that a thread of the pool stays free for the other tests.
  /// `REALM_HEAVY_TURNS` is another number, for runs of heavy tests alone.
  private static let gate: TurnGate = {
    let process = ProcessInfo.processInfo
    let named = process.environment["REALM_HEAVY_TURNS"].flatMap(Int.init)
    return TurnGate(width: max(1, named ?? process.activeProcessorCount / 2))
  }()

  /// A suite passes the trait on to its tests: each of their cases takes a turn of its own.
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await Self.gate.withTurn(function)
  }
}

extension Trait where Self == HeavyRuns {
  /// Marks a test that keeps a processor busy for about a second or more: its cases wait in one
  /// line with those of all other heavy tests.
  ///
  /// Such a test has no limit of time, as the limit would run while the test waits.
  public static var heavy: Self { Self() }
}
