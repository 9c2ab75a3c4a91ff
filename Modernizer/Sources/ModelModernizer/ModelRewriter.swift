// SPDX-License-Identifier: Apache-2.0

// Rewrites the models of one file.

import SwiftSyntax

/// Finds the edits that the models of a file need, and what a person has to look at.
final class ModelRewriter: SyntaxVisitor {
  private let file: String
  private let family: ModelFamily
  private let lines: LineIndex
  private let converter: SourceLocationConverter
  private(set) var edits: [TextEdit] = []
  private(set) var notes: [Note] = []
  /// The names of properties that were read by `.value`.
  private(set) var holders: Set<String> = []
  private var removals: [Range<Int>] = []

  init(_ file: String, _ text: String, _ tree: SourceFileSyntax, _ family: ModelFamily) {
    self.file = file
    self.family = family
    lines = LineIndex(text)
    converter = SourceLocationConverter(fileName: file, tree: tree)
    super.init(viewMode: .sourceAccurate)
    walk(tree)
    edits += LineIndex.joined(removals).map { TextEdit(range: $0, replacement: "") }
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    if family.isModel(node) { rewrite(node) }
    return .visitChildren
  }

  override func visit(_ node: InheritedTypeSyntax) -> SyntaxVisitorContinueKind {
    let isOfEnum =
      node.parent?.parent?.parent.map {
        $0.is(EnumDeclSyntax.self) || $0.is(ExtensionDeclSyntax.self)
      }
      ?? false
    if isOfEnum, let name = node.type.as(IdentifierTypeSyntax.self)?.name, name.text == "RealmEnum"
    {
      edits.append(TextEdit(range: name.trimmedBytes, replacement: "PersistableEnum"))
    }
    return .skipChildren
  }

  private func note(_ node: some SyntaxProtocol, _ text: String) {
    let line = node.startLocation(converter: converter).line
    notes.append(Note(file: file, line: line, text: text))
  }

  // MARK: Classes

  private func rewrite(_ model: ClassDeclSyntax) {
    let members = ModelRewriter.members(model.memberBlock.members)
    let variables = members.compactMap { $0.as(VariableDeclSyntax.self) }
    let methods = members.compactMap { $0.as(FunctionDeclSyntax.self).flatMap { ModelMethod($0) } }
    let legacy = variables.filter(isLegacy)
    let persisted = variables.first { $0.has(attribute: "Persisted") }
    guard !legacy.isEmpty else {
      guard persisted == nil, let method = methods.first(where: { $0.kind != .ignoredProperties })
      else { return }
      return note(
        method.declaration,
        "'\(method.kind.rawValue)()' of '\(model.name.text)' names no property of that class: see "
          + "to the attribute in its superclass")
    }
    if let persisted {
      note(
        persisted,
        "'\(model.name.text)' has properties with @Persisted already, beside which others are not "
          + "stored: it is left as it is")
      return
    }
    if let method = methods.first(where: { $0.names == nil }) {
      note(
        method.declaration,
        "the names that '\(method.kind.rawValue)()' of '\(model.name.text)' returns are not "
          + "written down in it: the class is left as it is")
      return
    }
    func names(_ kind: ModelMethod.Kind) -> Set<String> {
      Set(methods.filter { $0.kind == kind }.flatMap { $0.names ?? [] })
    }
    let attributes = Attributes(
      primaryKey: names(.primaryKey), indexed: names(.indexedProperties),
      ignored: names(.ignoredProperties))
    var rewritten: Set<String> = []
    for variable in legacy { rewritten.formUnion(rewrite(variable, attributes)) }
    for method in methods {
      let missing = (method.names ?? []).filter { !rewritten.contains($0) }
      if method.kind == .ignoredProperties ? !rewritten.isEmpty : missing.isEmpty {
        removals.append(lines.lines(of: method.declaration.trimmedBytes))
      } else {
        note(
          method.declaration,
          "'\(method.kind.rawValue)()' names \(missing.map { "'\($0)'" }.joined(separator: ", ")), "
            + "which was not rewritten: see to its attribute, and remove the method")
      }
    }
  }

  /// The members of a class, those in branches of `#if` among them.
  private static func members(_ list: MemberBlockItemListSyntax) -> [DeclSyntax] {
    list.flatMap { item -> [DeclSyntax] in
      guard let block = item.decl.as(IfConfigDeclSyntax.self) else { return [item.decl] }
      return block.clauses.flatMap { clause -> [DeclSyntax] in
        guard case .decls(let inner)? = clause.elements else { return [] }
        return members(inner)
      }
    }
  }

  private func isLegacy(_ variable: VariableDeclSyntax) -> Bool {
    if variable.modifiers.contains(where: { ["static", "class", "lazy"].contains($0.name.text) }) {
      return false
    }
    if variable.modifiers.contains(where: { $0.name.text == "dynamic" }) {
      return variable.bindings.allSatisfy { !$0.isComputed }
    }
    return holder(variable) != nil
  }

  private func holder(_ variable: VariableDeclSyntax) -> LegacyField? {
    guard variable.bindings.count == 1, let binding = variable.bindings.first,
      !binding.isComputed, let name = binding.name
    else { return nil }
    return LegacyField(holder: binding, name: name)
  }

  // MARK: Properties

  private struct Attributes {
    let primaryKey: Set<String>
    let indexed: Set<String>
    let ignored: Set<String>

    func text(_ field: LegacyField) -> String {
      var arguments = field.argument.map { [$0] } ?? []
      if primaryKey.contains(field.name) {
        arguments.append("primaryKey: true")
      } else if indexed.contains(field.name) {
        arguments.append("indexed: true")
      }
      return "@Persisted" + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))")
    }
  }

  /// Rewrites a declaration.
  ///
  /// - Returns: The names of its properties; none if it is left as it is.
  private func rewrite(_ variable: VariableDeclSyntax, _ attributes: Attributes) -> [String] {
    let names = variable.bindings.compactMap(\.name)
    guard !names.contains(where: attributes.ignored.contains) else {
      if variable.has(attribute: "objc") {
        note(
          variable,
          "'\(names.joined(separator: ", "))' is ignored and keeps '@objc', which compiles on "
            + "Apple's systems alone")
      }
      return []
    }
    let objc = variable.attribute("objc")
    if objc?.arguments != nil {
      note(variable, "a name for Objective-C is none of the database: left as it is")
      return []
    }
    let fields: [LegacyField]
    if let field = holder(variable) {
      fields = [field]
      if field.hasHolder { holders.insert(field.name) }
    } else {
      let type = variable.bindings.compactMap(\.typeAnnotation).last
      fields = variable.bindings.compactMap { binding in
        binding.name.map { LegacyField(dynamic: binding, name: $0, type: type) }
      }
      guard fields.count == variable.bindings.count else { return [] }
      warnOfTypes(variable)
    }
    replace(variable, fields, attributes, objc)
    return names
  }

  private func warnOfTypes(_ variable: VariableDeclSyntax) {
    for type in variable.bindings.compactMap({ $0.typeAnnotation?.type }) {
      let text = type.trimmedDescription
      guard ["NSString", "NSDate", "NSData", "NSNumber"].contains(where: text.hasPrefix) else {
        continue
      }
      note(variable, "'@Persisted' stores values of Swift, not '\(text)'")
    }
  }

  /// Replaces a declaration by that of some fields.
  private func replace(
    _ variable: VariableDeclSyntax, _ fields: [LegacyField], _ attributes: Attributes,
    _ objc: AttributeSyntax?
  ) {
    let first = attributes.text(fields[0])
    if let objc {
      edits.append(TextEdit(range: objc.trimmedBytes, replacement: first))
    } else {
      let start = variable.trimmedBytes.lowerBound
      edits.append(TextEdit(range: start..<start, replacement: first + " "))
    }
    var modifiers = ""
    for modifier in variable.modifiers {
      if modifier.name.text == "dynamic" {
        let start = modifier.trimmedBytes.lowerBound
        edits.append(
          TextEdit(range: start..<modifier.endPosition.utf8Offset, replacement: ""))
      } else {
        modifiers += modifier.trimmedDescription + " "
      }
    }
    let specifier = variable.bindingSpecifier
    if specifier.text != "var" {
      edits.append(TextEdit(range: specifier.trimmedBytes, replacement: "var"))
    }
    if fields.count == 1, variable.modifiers.contains(where: { $0.name.text == "dynamic" }) {
      return
    }
    // Property wrappers have a declaration for each property.
    let indentation = lines.indentation(at: variable.trimmedBytes.lowerBound)
    let texts = fields.enumerated().map { index, field in
      let start = index == 0 ? "" : "\(indentation)\(attributes.text(field)) \(modifiers)var "
      return start + field.name + field.declaration
    }
    edits.append(
      TextEdit(
        range: variable.bindings.trimmedBytes, replacement: texts.joined(separator: "\n")))
  }
}

extension SyntaxProtocol {
  /// The bytes of the node, without what is around it.
  var trimmedBytes: Range<Int> {
    positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
  }
}

extension PatternBindingSyntax {
  /// The name of the variable; nil for patterns.
  var name: String? { pattern.as(IdentifierPatternSyntax.self)?.identifier.text }

  /// Whether there is a getter: observers of a stored property are none.
  var isComputed: Bool {
    switch accessorBlock?.accessors {
    case nil: false
    case .getter: true
    case .accessors(let list):
      list.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }
  }
}

extension VariableDeclSyntax {
  /// The attribute of that name.
  func attribute(_ name: String) -> AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { $0.attributeName.trimmedDescription == name }
  }

  func has(attribute name: String) -> Bool { attribute(name) != nil }
}
