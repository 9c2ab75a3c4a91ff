// SPDX-License-Identifier: Apache-2.0

// Rewrites models of the time of `@objc dynamic` with `@Persisted`.

import SwiftParser
import SwiftSyntax

/// Rewrites the models of an app.
///
/// The files are read together: a class is a model if it inherits from one of another file, too.
/// What has no place in a model stays as it is, byte by byte.
public enum Modernizer {
  /// A file of Swift code.
  public struct File: Equatable, Sendable {
    /// How messages name the file.
    public let path: String
    public let text: String

    public init(path: String, text: String) {
      self.path = path
      self.text = text
    }
  }

  /// What is to be written, and looked at.
  public struct Outcome: Sendable {
    /// The files whose text changes, with the new text, in their order.
    public let changed: [File]
    /// The diffs of these files.
    public let diffs: [String]
    /// What a person has to look at, in the order of the files.
    public let notes: [Note]
  }

  /// Rewrites the models of some files.
  public static func modernize(_ files: [File]) -> Outcome {
    let trees = files.map { Parser.parse(source: $0.text) }
    var family = ModelFamily()
    for tree in trees { family.add(tree) }
    let rewriters = zip(files, trees).map { ModelRewriter($0.path, $0.text, $1, family) }
    let holders = rewriters.reduce(into: Set<String>()) { $0.formUnion($1.holders) }
    var changed: [File] = []
    var diffs: [String] = []
    var notes: [Note] = []
    for (index, rewriter) in rewriters.enumerated() {
      let file = files[index]
      notes += rewriter.notes + HolderUses(file.path, trees[index], holders).notes
      let text = TextEdit.apply(rewriter.edits, to: file.text)
      guard text != file.text else { continue }
      changed.append(File(path: file.path, text: text))
      diffs.append(UnifiedDiff.text(path: file.path, old: file.text, new: text))
    }
    return Outcome(changed: changed, diffs: diffs, notes: notes)
  }
}

/// Uses of `.value` of properties that were a `RealmOptional` or a `RealmProperty`.
private final class HolderUses: SyntaxVisitor {
  private let file: String
  private let holders: Set<String>
  private let converter: SourceLocationConverter
  private(set) var notes: [Note] = []

  init(_ file: String, _ tree: SourceFileSyntax, _ holders: Set<String>) {
    self.file = file
    self.holders = holders
    converter = SourceLocationConverter(fileName: file, tree: tree)
    super.init(viewMode: .sourceAccurate)
    if !holders.isEmpty { walk(tree) }
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    guard node.declName.baseName.text == "value", let base = node.base else {
      return .visitChildren
    }
    let name =
      base.as(MemberAccessExprSyntax.self)?.declName.baseName.text
      ?? base.as(DeclReferenceExprSyntax.self)?.baseName.text
    if let name, holders.contains(name) {
      notes.append(
        Note(
          file: file, line: node.declName.startLocation(converter: converter).line,
          text: "'\(name).value' becomes '\(name)'"))
    }
    return .visitChildren
  }
}
