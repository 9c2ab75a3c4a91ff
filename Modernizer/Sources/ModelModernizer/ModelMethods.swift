// SPDX-License-Identifier: Apache-2.0

// What a model says of its properties by `primaryKey()`, `indexedProperties()` and
// `ignoredProperties()`.

import SwiftParser
import SwiftSyntax

/// One of the methods of a model class that name properties.
struct ModelMethod {
  enum Kind: String, CaseIterable {
    case primaryKey, indexedProperties, ignoredProperties
  }

  let kind: Kind
  let declaration: FunctionDeclSyntax
  /// The names that it returns; nil if they are not written down in it.
  let names: [String]?

  init?(_ declaration: FunctionDeclSyntax) {
    guard let kind = Kind(rawValue: declaration.name.text),
      declaration.signature.parameterClause.parameters.isEmpty,
      declaration.modifiers.contains(where: { ["class", "static"].contains($0.name.text) })
    else { return nil }
    self.kind = kind
    self.declaration = declaration
    names = ModelMethod.returned(by: declaration).flatMap(ModelMethod.names)
  }

  /// The only expression that a function returns.
  private static func returned(by function: FunctionDeclSyntax) -> ExprSyntax? {
    guard let statements = function.body?.statements, statements.count == 1,
      let item = statements.first?.item
    else { return nil }
    switch item {
    case .expr(let expression): return expression
    case .stmt(let statement): return statement.as(ReturnStmtSyntax.self)?.expression
    default: return nil
    }
  }

  private static func names(_ expression: ExprSyntax) -> [String]? {
    if expression.is(NilLiteralExprSyntax.self) { return [] }
    guard let array = expression.as(ArrayExprSyntax.self) else {
      return name(expression).map { [$0] }
    }
    let names = array.elements.map { name($0.expression) }
    return names.contains(nil) ? nil : names.compactMap { $0 }
  }

  /// The name in a literal, or in `#keyPath(Dog.name)`.
  static func name(_ expression: ExprSyntax) -> String? {
    if let literal = expression.as(StringLiteralExprSyntax.self) {
      return literal.representedLiteralValue
    }
    guard let macro = expression.as(MacroExpansionExprSyntax.self),
      macro.macroName.text == "keyPath", let path = macro.arguments.first?.expression
    else { return nil }
    if let member = path.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text }
    return path.as(DeclReferenceExprSyntax.self)?.baseName.text
  }
}
