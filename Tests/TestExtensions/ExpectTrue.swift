// SPDX-License-Identifier: Apache-2.0

// Conditions that compile quickly.

import Foundation
public import Testing

/// Expects a condition to hold.
///
/// It does what `#expect` does, but for the values of parts of the condition, of which the macro
/// makes closures: that takes the compiler 15 ms a call. A failure shows the line of the call.
public func expectTrue(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column
) {
  if condition { return }
  let place = SourceLocation(
    fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
  fail("\(filePath)", place, comment())
}

/// Expects a condition not to hold, as `expectTrue` does.
public func expectFalse(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column
) {
  if !condition { return }
  let place = SourceLocation(
    fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
  fail("\(filePath)", place, comment())
}

/// Records the failure of an expectation, with its line.
private func fail(_ path: String, _ place: SourceLocation, _ comment: Comment?) {
  let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  let call =
    place.line <= lines.count ? lines[place.line - 1].trimmingCharacters(in: .whitespaces) : ""
  Issue.record("\(call)\(comment.map { ": \($0.rawValue)" } ?? "")", sourceLocation: place)
}
