// SPDX-License-Identifier: Apache-2.0

// Rules about single tokens of the product's code: what may trap, what may print, what needs a
// reason.

/// Rules that read tokens without their structure.
enum CodeRules {
  /// `try!` turns an error that a caller could handle into a crash. Tests may show it: code that
  /// apps copy from a documentation has it.
  static func forcedTry(_ file: SourceFile) -> [Violation] {
    guard !file.path.hasPrefix("Tests/") else { return [] }
    return adjacentPairs(file).compactMap { first, second in
      guard first.text == "try", second.text == "!" else { return nil }
      return violation("forced-try", file, first.line, "a forced try")
    }
  }

  /// A library does not write to its user's terminal.
  static func printing(_ file: SourceFile) -> [Violation] {
    guard file.module != nil else { return [] }
    let names: Set<String> = ["print", "debugPrint", "dump"]
    return file.tokens.indices.compactMap { index in
      let token = file.tokens[index]
      guard names.contains(token.text), text(file, index + 1) == "(",
        text(file, index - 1) != ".", text(file, index - 1) != "func"
      else { return nil }
      return violation("printing", file, token.line, "\(token.text)() in a library")
    }
  }

  /// An empty array shares its storage with all others, and the initializer for uninitialized
  /// elements stores its count there: `Array(count:writingAll:)` has the check.
  static func uninitializedArrays(_ file: SourceFile) -> [Violation] {
    guard file.module != nil, !file.path.hasSuffix("/Array+Uninitialized.swift") else { return [] }
    return file.tokens.indices.compactMap { index in
      let token = file.tokens[index]
      guard token.text == "unsafeUninitializedCapacity", text(file, index - 2) == "]" else {
        return nil
      }
      return violation(
        "uninitialized", file, token.line, "an array's initializer that writes to the empty array")
    }
  }

  /// Benchmarks run in folders of the person who starts them: they delete through
  /// `BenchmarkSupport`, which knows what is theirs.
  static func benchmarkDeletions(_ file: SourceFile) -> [Violation] {
    guard file.path.hasPrefix("Benchmarks/Sources/"),
      !file.path.hasPrefix("Benchmarks/Sources/BenchmarkSupport/")
    else { return [] }
    let names: Set<String> = ["removeItem", "trashItem", "replaceItem", "rmdir"]
    return file.tokens.filter { names.contains($0.text) }.map { token in
      violation("deletion", file, token.line, "\(token.text) in a benchmark: use ScratchFolder")
    }
  }

  /// A force unwrap or forced cast in the product has its proof beside it: a comment on the same
  /// line or on one of the two lines above.
  static func forceUnwrap(_ file: SourceFile) -> [Violation] {
    guard file.module != nil else { return [] }
    return file.tokens.indices.compactMap { index in
      guard isForceUnwrap(file, index) else { return nil }
      let line = file.tokens[index].line
      guard !file.hasComment(near: line, before: 2) else { return nil }
      return violation("force-unwrap", file, line, "a force unwrap without its proof beside it")
    }
  }

  /// A condition that was looked at before a continuation is made may not hold any more in its
  /// body: other calls of an actor run in between, and nobody resumes what then waits. So a list of
  /// those that wait grows beside a look at the condition, in the body.
  static func continuationLists(_ file: SourceFile) -> [Violation] {
    guard file.module != nil else { return [] }
    return file.tokens.indices.compactMap { index in
      let token = file.tokens[index]
      guard token.text.hasPrefix("with"), token.text.hasSuffix("Continuation"),
        text(file, index + 1) == "{"
      else { return nil }
      let body = file.tokens[(index + 2)...].prefix { $0.text != "}" && $0.text != "{" }
      let words = Set(body.map(\.text))
      guard words.contains("append"), words.isDisjoint(with: ["if", "guard"]) else { return nil }
      return violation("continuation", file, token.line, "a continuation that waits unseen")
    }
  }

  /// Optimised code makes a task-local value that is a function without its type, and crashes where
  /// it holds during an asynchronous call (Swift 6.3): such a value is a struct with the function.
  static func taskLocalFunctions(_ file: SourceFile) -> [Violation] {
    let tokens = file.tokens
    func isFunction(_ type: some Collection<Token>) -> Bool {
      zip(type, type.dropFirst()).contains { $0.text == "-" && $1.text == ">" }
    }
    func line(_ index: Int) -> [Token] {
      Array(tokens[index...].prefix { $0.line == tokens[index].line })
    }
    let functions = tokens.indices.filter { tokens[$0].text == "typealias" && isFunction(line($0)) }
    let names = Set(functions.compactMap { text(file, $0 + 1) })
    return tokens.indices.compactMap { index in
      guard tokens[index].text == "@TaskLocal",
        let variable = tokens[index...].firstIndex(where: { $0.text == "var" })
      else { return nil }
      let declaration = line(variable)
      guard isFunction(declaration) || declaration.contains(where: { names.contains($0.text) })
      else { return nil }
      return violation(
        "task-local", file, tokens[index].line, "a task-local function: put it into a struct")
    }
  }

  /// An assurance about concurrency that the compiler does not check has its reason beside it.
  static func uncheckedConcurrency(_ file: SourceFile) -> [Violation] {
    guard file.module != nil else { return [] }
    return file.tokens.indices.compactMap { index in
      let token = file.tokens[index]
      let isUnchecked = token.text == "@unchecked"
      let isUnsafe = token.text == "nonisolated" && text(file, index + 2) == "unsafe"
      guard isUnchecked || isUnsafe, !file.hasComment(near: token.line, before: 4, after: 3)
      else { return nil }
      return violation("unchecked", file, token.line, "\(token.text) without its reason beside it")
    }
  }

  private static func isForceUnwrap(_ file: SourceFile, _ index: Int) -> Bool {
    let token = file.tokens[index]
    guard token.text == "!", index > 0 else { return false }
    let previous = file.tokens[index - 1]
    guard previous.end == token.start, previous.text != "try" else { return false }
    guard previous.kind == .word || [")", "]", "}"].contains(previous.text) else { return false }
    if index + 1 < file.tokens.count, file.tokens[index + 1].text == "=",
      file.tokens[index + 1].start == token.end
    {
      return false
    }
    return !isType(file, endingAt: index - 1)
  }

  /// Whether the tokens that end at `index` spell a type after `:` or `->`: then `!` is part of it.
  private static func isType(_ file: SourceFile, endingAt index: Int) -> Bool {
    var position = index
    while position > 0, file.tokens[position].kind == .word || text(file, position) == "." {
      position -= 1
    }
    let isAnnotation =
      text(file, position) == ":" && text(file, position + 1)?.isCapitalized == true
    let isResult = text(file, position) == ">" && text(file, position - 1) == "-"
    return isAnnotation && text(file, index + 2) != "." && !isArgument(file, position) || isResult
  }

  /// Whether the colon at `index` follows an argument's label: `name: Value!` in a call.
  private static func isArgument(_ file: SourceFile, _ index: Int) -> Bool {
    guard let before = text(file, index - 2) else { return false }
    return before == "," || before == "("
  }

  private static func text(_ file: SourceFile, _ index: Int) -> String? {
    file.tokens.indices.contains(index) ? file.tokens[index].text : nil
  }

  private static func adjacentPairs(_ file: SourceFile) -> [(Token, Token)] {
    zip(file.tokens, file.tokens.dropFirst()).filter { $0.end == $1.start }
  }

  private static func violation(
    _ rule: String, _ file: SourceFile, _ line: Int, _ message: String
  ) -> Violation {
    Violation(rule: rule, path: file.path, line: line, message: message)
  }
}

extension String {
  /// Whether this could be the name of a type.
  var isCapitalized: Bool { first?.isUppercase == true }
}
