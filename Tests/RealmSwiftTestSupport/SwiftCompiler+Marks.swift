// SPDX-License-Identifier: Apache-2.0

// Programs that say which of their lines must not compile.

import TestExtensions
import Testing

extension SwiftCompiler {
  /// Checks a program in which each line that must not compile says so: `// error: part of text`.
  /// In Swift 5 mode, where the compiler only warns of data races, a warning counts.
  package static func expectMarks(_ program: String, _ depth: Depth, _ mode: Mode = .swift6) throws
  {
    var diagnostics = try check(program, depth, mode)
    for (index, line) in program.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      guard let mark = line.firstRange(of: "// error: ") else { continue }
      let text = line[mark.upperBound...]
      let isRefused = diagnostics.contains {
        $0.line == index + 1 && $0.text.contains(text) && ($0.isError || mode != .swift6)
      }
      expectTrue(isRefused, "must not compile: \(line)")
      diagnostics.removeAll { $0.line == index + 1 }
    }
    expectEqual(diagnostics, [], "must compile")
  }
}
