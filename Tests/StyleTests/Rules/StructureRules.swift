// SPDX-License-Identifier: Apache-2.0

// Rules about the shape of a file: how long its functions are, which types it holds.

/// Rules that follow braces.
enum StructureRules {
  static let functionLengthMax = 70
  /// A type beside the primary one may stay in its file while it is a small part of it.
  static let helperTypeLengthMax = 70

  /// A function fits on a screen.
  static func functionLength(_ file: SourceFile) -> [Violation] {
    guard file.isSwift else { return [] }
    return file.tokens.indices.compactMap { index in
      guard isFunction(file, index), let body = bodyRange(file, after: index) else { return nil }
      let length = file.tokens[body.upperBound].line - file.tokens[index].line + 1
      guard length > functionLengthMax else { return nil }
      return Violation(
        rule: "function-length", path: file.path, line: file.tokens[index].line,
        message: "a function of \(length) lines")
    }
  }

  /// A source file is named after its primary type (`Type.swift`), or after the type that it
  /// extends and the topic (`Type+Topic.swift`); other types in it are private or small. A file
  /// that does one thing for several types, or holds several small types of one kind, is named
  /// after what they share.
  static func primaryType(_ file: SourceFile) -> [Violation] {
    guard file.module != nil, file.isSwift else { return [] }
    let types = topLevelTypes(file)
    let parts = file.name.split(separator: "+")
    let primary = parts.first.map(String.init) ?? ""
    var violations: [Violation] = []
    let isNamed = types.contains { type in
      // A leading underscore marks what is public only for the compiler.
      let name = type.name.drop { $0 == "_" }
      return name == primary || name.hasSuffix(".\(primary)")
        || name.filter { $0 != "." } == primary
    }
    let isTopic =
      Set(types.map(\.name)).count > 1
      && types.allSatisfy { $0.isExtension || $0.isPrivate || $0.lineCount <= helperTypeLengthMax }
    if !isNamed, !isTopic, !types.isEmpty {
      violations.append(
        Violation(
          rule: "primary-type", path: file.path, line: 1,
          message: "declares and extends no type \(primary)"))
    }
    for type in types
    where type.name.drop(while: { $0 == "_" }) != primary && !type.isPrivate && !type.isExtension {
      guard type.lineCount > helperTypeLengthMax else { continue }
      violations.append(
        Violation(
          rule: "primary-type", path: file.path, line: type.line,
          message: "\(type.name) (\(type.lineCount) lines) deserves a file of its own"))
    }
    return violations
  }

  /// A type or an extension at the top of a file.
  struct TopLevelType: Equatable {
    var name: String
    var line: Int
    var lineCount: Int
    var isExtension: Bool
    var isPrivate: Bool
  }

  /// The types and extensions that stand outside of all braces.
  static func topLevelTypes(_ file: SourceFile) -> [TopLevelType] {
    let keywords: Set<String> = [
      "struct", "class", "enum", "protocol", "actor", "extension", "typealias",
    ]
    var types: [TopLevelType] = []
    var depth = 0
    for (index, token) in file.tokens.enumerated() {
      switch token.text {
      case "{", "(", "[": depth += 1
      case "}", ")", "]": depth -= 1
      case let word where depth == 0 && keywords.contains(word):
        let isImportKind = index > 0 && file.tokens[index - 1].text == "import"
        guard !isImportKind, let name = dottedName(file, from: index + 1) else { continue }
        let last = word == "typealias" ? nil : bodyRange(file, after: index)?.upperBound
        let lastLine = last.map { file.tokens[$0].line } ?? token.line
        types.append(
          TopLevelType(
            name: name, line: token.line, lineCount: lastLine - token.line + 1,
            isExtension: word == "extension", isPrivate: isPrivate(file, declarationAt: index)))
      default: break
      }
    }
    return types
  }

  /// Whether one of the modifiers in front of a declaration makes it private to its file.
  private static func isPrivate(_ file: SourceFile, declarationAt index: Int) -> Bool {
    let modifiers: Set<String> = ["final", "indirect", "private", "fileprivate"]
    return file.tokens[..<index].reversed().prefix { modifiers.contains($0.text) }
      .contains { $0.text == "private" || $0.text == "fileprivate" }
  }

  private static func dottedName(_ file: SourceFile, from index: Int) -> String? {
    var name = ""
    var position = index
    while position < file.tokens.count {
      let token = file.tokens[position]
      guard token.kind == .word, !token.text.hasPrefix("@") || name.isEmpty else { break }
      if !token.text.hasPrefix("@") { name += token.text }
      guard position + 1 < file.tokens.count, file.tokens[position + 1].text == "." else { break }
      name += "."
      position += 2
    }
    return name.isEmpty ? nil : name
  }

  private static func isFunction(_ file: SourceFile, _ index: Int) -> Bool {
    let token = file.tokens[index]
    guard token.kind == .word, index == 0 || file.tokens[index - 1].text != "." else {
      return false
    }
    switch token.text {
    case "func", "deinit": return true
    case "init", "subscript":
      guard index + 1 < file.tokens.count else { return false }
      return ["(", "<", "?"].contains(file.tokens[index + 1].text)
    default: return false
    }
  }

  /// The tokens from the opening to the closing brace of the declaration at `index`; nil where
  /// there is no body (a requirement of a protocol).
  static func bodyRange(_ file: SourceFile, after index: Int) -> ClosedRange<Int>? {
    let nextDeclaration: Set<String> = [
      "func", "init", "var", "let", "subscript", "deinit", "case", "static", "mutating", "public",
      "package", "internal", "private", "associatedtype", "typealias", "struct", "enum",
      "extension", "protocol",
    ]
    var nesting = 0
    var position = index + 1
    while position < file.tokens.count {
      switch file.tokens[position].text {
      case "(", "[": nesting += 1
      case ")", "]": nesting -= 1
      case "{" where nesting == 0:
        return closingBrace(file, of: position).map { position...$0 }
      case "}" where nesting == 0: return nil
      case let word where nesting == 0 && nextDeclaration.contains(word): return nil
      default: break
      }
      position += 1
    }
    return nil
  }

  private static func closingBrace(_ file: SourceFile, of open: Int) -> Int? {
    var depth = 0
    for position in open..<file.tokens.count {
      if file.tokens[position].text == "{" { depth += 1 }
      if file.tokens[position].text == "}" {
        depth -= 1
        if depth == 0 { return position }
      }
    }
    return nil
  }
}
