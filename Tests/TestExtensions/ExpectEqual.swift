// SPDX-License-Identifier: Apache-2.0

// Comparisons that compile quickly.

public import Testing

/// Expects a value to be equal to another one.
///
/// It does what an `#expect` with `==` does, which takes the compiler two to ten times as long: the
/// macro makes closures of both sides, and each of the many `==` is tried with each function that
/// it may mean. Tests of an `==` itself use `#expect`.
public func expectEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, comment(), sourceLocation: sourceLocation)
}
