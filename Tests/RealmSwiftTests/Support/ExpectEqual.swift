// SPDX-License-Identifier: Apache-2.0

// Comparisons that compile quickly.

import Testing

/// Expects a value to be equal to another one.
///
/// In an `#expect` with `==` the compiler tries each `==` that it sees, and there are many, with
/// each function that the macro may mean. That takes ten times as long as this call. Tests of an
/// `==` itself use `#expect`.
func expectEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, comment(), sourceLocation: sourceLocation)
}
