// SPDX-License-Identifier: Apache-2.0

// Comparisons that compile quickly.

public import Testing

/// Expects a value to be equal to another one.
///
/// It does what an `#expect` with `==` does, which takes the compiler two to ten times as long: the
/// macro makes closures of both sides, and each of the many `==` is tried with each function that
/// it may mean. Nor is its place a `#_sourceLocation`, which is a macro, too. Tests of an `==`
/// itself, and those that name the place of a caller, use `#expect`.
public func expectEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column
) {
  if value == expected { return }
  let place = SourceLocation(
    fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
  #expect(value == expected, comment(), sourceLocation: place)
}
