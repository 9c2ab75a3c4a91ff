// SPDX-License-Identifier: Apache-2.0

// Which classes of some files are models: those that inherit from a class of Realm, by any way.

import SwiftSyntax

/// The names of the model classes of some files.
struct ModelFamily {
  private static let roots: Set = [
    "Object", "EmbeddedObject", "AsymmetricObject", "RealmSwiftObject", "RealmSwiftEmbeddedObject",
  ]

  private var superclasses: [String: Set<String>] = [:]

  /// Takes the classes of a file.
  mutating func add(_ file: SourceFileSyntax) {
    let collector = ClassCollector(viewMode: .sourceAccurate)
    collector.walk(file)
    for (name, inherited) in collector.found { superclasses[name, default: []].insert(inherited) }
  }

  /// Whether a class is a model by its declaration.
  func isModel(_ declaration: ClassDeclSyntax) -> Bool {
    guard let first = ModelFamily.firstInherited(declaration) else { return false }
    var seen: Set<String> = []
    return isModel(first, &seen)
  }

  private func isModel(_ name: String, _ seen: inout Set<String>) -> Bool {
    if ModelFamily.roots.contains(name) { return true }
    guard seen.insert(name).inserted else { return false }
    for next in superclasses[name] ?? [] where isModel(next, &seen) { return true }
    return false
  }

  /// The last part of the name of what a class inherits from first: `Object` of
  /// `RealmSwift.Object`.
  fileprivate static func firstInherited(_ declaration: ClassDeclSyntax) -> String? {
    guard let type = declaration.inheritanceClause?.inheritedTypes.first?.type else { return nil }
    if let member = type.as(MemberTypeSyntax.self) { return member.name.text }
    return type.as(IdentifierTypeSyntax.self)?.name.text
  }

  private final class ClassCollector: SyntaxVisitor {
    var found: [(String, String)] = []

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
      if let inherited = ModelFamily.firstInherited(node) {
        found.append((node.name.text, inherited))
      }
      return .visitChildren
    }
  }
}
