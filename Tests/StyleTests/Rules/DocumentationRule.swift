// SPDX-License-Identifier: Apache-2.0

// The rule that everything which another module can see says what it is.

/// Finds declarations that other modules see and that no documentation comment explains.
///
/// Invariants:
/// 1. A declaration begins at its first attribute or modifier; its documentation ends on the line
///    above.
/// 2. What a protocol (of the standard library: `witnesses`; of ours: `requirements`) or an
///    overridden member already documents needs no words.
/// 3. In the API module everything needs words; below it, types and functions: a property's name
///    and its type's documentation say enough among ourselves.
enum DocumentationRule {
  private static let kinds: Set<String> = [
    "func", "var", "let", "init", "subscript", "struct", "class", "enum", "protocol", "typealias",
    "actor", "macro", "associatedtype",
  ]

  private static let modifiers: Set<String> = [
    "static", "class", "final", "mutating", "nonmutating", "override", "required", "convenience",
    "indirect", "lazy", "weak", "unowned", "nonisolated", "unsafe", "set", "isolated", "borrowing",
    "consuming", "dynamic", "prefix", "postfix", "infix", "optional", "distributed", "sending",
  ]

  /// Members whose meaning a protocol of the standard library fixes.
  private static let witnesses: Set<String> = [
    "hash", "description", "debugDescription", "encode", "makeIterator", "next", "startIndex",
    "endIndex", "index", "==", "<", "!=", "errorDescription", "rawValue", "underestimatedCount",
  ]

  /// What needs no words below the API module.
  private static let plainKinds: Set<String> = ["let", "var", "init"]

  /// Applies to `package` and `public` declarations of the lower modules, and to `public` and
  /// `open` declarations of the API module. `requirements` are names that protocols document.
  static func check(_ file: SourceFile, requirements: Set<String> = []) -> [Violation] {
    guard let module = file.module, file.isSwift else { return [] }
    let isAPI = module == ModuleOrder.apiModule
    let visible: Set<String> = isAPI ? ["public", "open"] : ["public", "open", "package"]
    return file.tokens.indices.compactMap { index in
      guard visible.contains(file.tokens[index].text),
        let declaration = declaration(file, at: index),
        isAPI || !plainKinds.contains(declaration.kind), !requirements.contains(declaration.name),
        !isDocumented(file, declarationAt: declaration.first)
      else { return nil }
      return Violation(
        rule: "documentation", path: file.path, line: file.tokens[index].line,
        message: "\(declaration.kind) \(declaration.name) has no documentation")
    }
  }

  /// The names that the protocols of a file ask for.
  static func requirements(_ file: SourceFile) -> Set<String> {
    let tokens = file.tokens
    var names: Set<String> = []
    for index in tokens.indices where tokens[index].text == "protocol" {
      guard let body = StructureRules.bodyRange(file, after: index) else { continue }
      for position in body where kinds.contains(tokens[position].text) {
        names.insert(name(tokens, after: position))
      }
    }
    return names
  }

  private struct Declaration {
    var kind: String
    var name: String
    /// The index of its first attribute or modifier.
    var first: Int
  }

  /// The declaration that the access modifier at `index` belongs to; nil where it needs no words.
  private static func declaration(_ file: SourceFile, at index: Int) -> Declaration? {
    let tokens = file.tokens
    if index + 1 < tokens.count, tokens[index + 1].text == "(" { return nil }  // public(set)
    var position = index + 1
    var isOverride = false
    while position < tokens.count {
      let text = tokens[position].text
      if text == "override" { isOverride = true }
      let isMemberModifier =
        text == "class" && position + 1 < tokens.count
        && (kinds.contains(tokens[position + 1].text)
          || modifiers.contains(tokens[position + 1].text))
      if kinds.contains(text), !isMemberModifier { break }
      if text == "(" {
        // The arguments of an attribute or of a modifier.
        while position < tokens.count, tokens[position].text != ")" { position += 1 }
      } else if !modifiers.contains(text), !text.hasPrefix("@") {
        return nil
      }
      position += 1
    }
    guard position + 1 < tokens.count else { return nil }
    let name = name(tokens, after: position)
    guard !isOverride, !witnesses.contains(name) else { return nil }
    let isDecoding =
      tokens[position].text == "init" && position + 2 < tokens.count
      && tokens[position + 2].text == "from"
    guard !isDecoding else { return nil }
    return Declaration(
      kind: tokens[position].text, name: name, first: firstToken(tokens, of: index))
  }

  private static func name(_ tokens: [Token], after position: Int) -> String {
    var name = ""
    var next = position + 1
    while next < tokens.count, tokens[next].kind == .mark,
      !["(", "{", ":"].contains(tokens[next].text)
    {
      name += tokens[next].text
      next += 1
    }
    return name.isEmpty ? tokens[position + 1].text : name
  }

  /// Goes back over the attributes and modifiers in front of the access modifier at `index`.
  private static func firstToken(_ tokens: [Token], of index: Int) -> Int {
    var first = index
    while first > 0 {
      let before = tokens[first - 1]
      if before.text.hasPrefix("@") || modifiers.contains(before.text) {
        first -= 1
      } else if before.text == ")", let open = attributeArguments(tokens, closedAt: first - 1) {
        first = open
      } else {
        break
      }
    }
    return first
  }

  /// The index of the attribute whose arguments end at `close`.
  private static func attributeArguments(_ tokens: [Token], closedAt close: Int) -> Int? {
    var depth = 0
    var position = close
    while position > 0 {
      if tokens[position].text == ")" { depth += 1 }
      if tokens[position].text == "(" { depth -= 1 }
      if depth == 0 {
        let name = tokens[position - 1].text
        return name.hasPrefix("@") || modifiers.contains(name) ? position - 1 : nil
      }
      position -= 1
    }
    return nil
  }

  private static func isDocumented(_ file: SourceFile, declarationAt first: Int) -> Bool {
    var line = file.tokens[first].line - 1
    let above = first > 0 ? file.tokens[first - 1].line : 0
    while line > above {
      if let comments = file.commentsByLine[line] {
        return comments.contains { $0.isDocumentation || $0.text.hasSuffix("*/") }
      }
      guard file.lines[line - 1].allSatisfy({ $0 == " " }) else { return false }
      line -= 1
    }
    return false
  }
}
