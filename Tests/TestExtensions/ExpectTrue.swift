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
  let text = (try? String(contentsOfFile: "\(filePath)", encoding: .utf8)) ?? ""
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  let call = line <= lines.count ? lines[line - 1].trimmingCharacters(in: .whitespaces) : ""
  let place = SourceLocation(
    fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
  Issue.record("\(call)\(comment().map { ": \($0.rawValue)" } ?? "")", sourceLocation: place)
}

/// Expects a condition not to hold, as `expectTrue` does.
public func expectFalse(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column
) {
  expectTrue(
    !condition, comment(), fileID: fileID, filePath: filePath, line: line, column: column)
}
