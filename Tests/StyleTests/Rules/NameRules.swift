// SPDX-License-Identifier: Apache-2.0

// One idea has one name, the one that the field uses: names that were given up do not come back.

/// Names that the project does not use any more, and what is called so instead.
enum NameRules {
  /// Names that occur nowhere.
  static let retired: [String: String] = [
    "BirthMap": "BlockVersionMap",
    "ChangePackage": "ChangeBatch",
    "DataMoment": "DataRevision",
    "FirstItems": "TopKHeap",
    "FirstOfEach": "DistinctScan",
    "Guarded": "Locked",
    "HashedNumbers": "DistinctIndexTable",
    "Passage": "UnsafeTransfer",
    "PlainFolds": "ColumnAggregates",
    "PredicateMeaning": "TranslatedExpression",
    "WriterDesk": "WriterScheduler",
    "isLeftAlone": "isUnaffected",
    "looksOut": "usesOuterScope",
  ]

  /// Names that are to be given up and still occur. Each goes to `retired` with its last use.
  static let leaving: [String: String] = [:]

  /// The first characters of identifiers that may be retired names, which few are.
  private static let initials = Set("_@".utf8).union(retired.keys.compactMap(\.utf8.first))

  /// An identifier is not a retired name, nor one with something added to it.
  static func retiredNames(_ file: SourceFile) -> [Violation] {
    guard file.isSwift else { return [] }
    return file.tokens.compactMap { token in
      guard token.kind == .word, let initial = token.text.utf8.first, initials.contains(initial),
        let (name, better) = match(token.text, in: retired)
      else { return nil }
      return Violation(
        rule: "name", path: file.path, line: token.line, message: "\(name) is called \(better)")
    }
  }

  /// The name of a table that an identifier is, or begins with and goes on in a new word.
  static func match(_ identifier: String, in names: [String: String]) -> (String, String)? {
    let identifier = identifier.drop { $0 == "_" || $0 == "@" }
    return names.first { name, _ in
      guard identifier.hasPrefix(name) else { return false }
      return identifier.dropFirst(name.count).first.map { $0.isUppercase || $0 == "_" } ?? true
    }
  }
}
