// SPDX-License-Identifier: Apache-2.0

// Rules about tests: what lets a test fail although nothing is wrong.

/// Rules that hold for tests alone.
enum TestRules {
  /// Fewer minutes are no hang: a slow or busy machine may need them.
  static let timeLimitMinutesMin = 10

  /// A limit of time is for hangs. It runs while a test waits for its turn, so heavy tests have
  /// none.
  static func timeLimits(_ file: SourceFile) -> [Violation] {
    guard file.path.hasPrefix("Tests/") else { return [] }
    let texts = file.tokens.map(\.text)
    let begin = ["timeLimit", "(", ".", "minutes", "("]
    var violations: [Violation] = []
    var isLimited = false
    for (index, token) in file.tokens.enumerated() {
      if texts[index...].starts(with: begin) {
        isLimited = true
        let minutes = texts.dropFirst(index + begin.count).first.flatMap { Int($0) } ?? 0
        if minutes < timeLimitMinutesMin {
          violations.append(
            Violation(
              rule: "time-limit", path: file.path, line: token.line,
              message: "a limit of time under \(timeLimitMinutesMin) minutes"))
        }
      }
      let isHeavy = token.text == "heavy" && index > 0 && texts[index - 1] == "."
      if isHeavy && isLimited {
        violations.append(
          Violation(
            rule: "time-limit", path: file.path, line: token.line,
            message: "a heavy test in a file with a limit of time"))
      }
    }
    return violations
  }
}
