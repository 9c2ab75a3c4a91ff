// SPDX-License-Identifier: Apache-2.0

// A property of an old model, and its declaration with `@Persisted`.

import SwiftSyntax

/// A property that a model declares without `@Persisted`.
struct LegacyField {
  let name: String
  /// What follows the name in the new declaration: type and value.
  let declaration: String
  /// The argument of `@Persisted` that is not one of keys and indexes.
  var argument: String?
  /// Whether code reads the value by `.value`, which ends.
  var hasHolder = false

  /// The property that one binding of a `dynamic var` declares: it stays as it is written.
  init(dynamic binding: PatternBindingSyntax, name: String, type: TypeAnnotationSyntax?) {
    self.name = name
    let own = binding.typeAnnotation == nil ? type?.trimmedDescription ?? "" : ""
    var rest = binding
    rest.trailingComma = nil
    declaration =
      own + rest.trimmedDescription.dropFirst(binding.pattern.trimmedDescription.count)
  }

  private init(name: String, type: String, value: String? = nil) {
    self.name = name
    declaration = ": \(type)" + (value.map { " = \($0)" } ?? "")
  }

  /// The property that `let dogs = List<Dog>()` and the like declare; nil for other fields.
  init?(holder binding: PatternBindingSyntax, name: String) {
    let call = binding.initializer?.value.as(FunctionCallExprSyntax.self)
    // `List<Dog>()`, or `.init()` and `List()` with a type before.
    let type: TypeName? =
      binding.typeAnnotation.flatMap { TypeName($0.type) }
      ?? call.flatMap { TypeName(called: $0.calledExpression) }
    guard let type, let call, call.trailingClosure == nil,
      call.additionalTrailingClosures.isEmpty
    else { return nil }
    let arguments = Array(call.arguments)
    switch type.base {
    case "List", "MutableSet", "Map":
      guard arguments.isEmpty, type.arguments != nil else { return nil }
      self.init(name: name, type: type.text)
    case "LinkingObjects":
      guard let (target, origin) = LegacyField.origin(arguments) else { return nil }
      let text = type.arguments == nil ? "\(type.text)<\(target)>" : type.text
      self.init(name: name, type: text)
      argument = "originProperty: \"\(origin)\""
    case "RealmOptional", "RealmProperty":
      guard let wrapped = type.arguments, arguments.count <= 1,
        arguments.allSatisfy({ $0.label == nil })
      else { return nil }
      let value = arguments.first?.expression.trimmedDescription
      self.init(
        name: name, type: type.base == "RealmOptional" ? wrapped + "?" : wrapped, value: value)
      hasHolder = true
    default: return nil
    }
  }

  /// The class and the property of `fromType: Person.self, property: "dogs"`.
  private static func origin(_ arguments: [LabeledExprSyntax]) -> (String, String)? {
    guard arguments.map({ $0.label?.text }) == ["fromType", "property"],
      let type = arguments[0].expression.as(MemberAccessExprSyntax.self),
      type.declName.baseName.text == "self", let target = type.base,
      let name = ModelMethod.name(arguments[1].expression)
    else { return nil }
    return (target.trimmedDescription, name)
  }
}

/// The name of a generic type, with or without its module.
private struct TypeName {
  /// The name without module and arguments.
  let base: String
  /// The arguments, without their brackets.
  let arguments: String?
  /// The type as it is written.
  let text: String

  init?(_ type: TypeSyntax) {
    if let member = type.as(MemberTypeSyntax.self) {
      self.init(member.name, member.genericArgumentClause, type.trimmedDescription)
    } else if let name = type.as(IdentifierTypeSyntax.self) {
      self.init(name.name, name.genericArgumentClause, type.trimmedDescription)
    } else {
      return nil
    }
  }

  init?(called expression: ExprSyntax) {
    let clause = expression.as(GenericSpecializationExprSyntax.self)?.genericArgumentClause
    let name = expression.as(GenericSpecializationExprSyntax.self)?.expression ?? expression
    if let reference = name.as(DeclReferenceExprSyntax.self) {
      self.init(reference.baseName, clause, expression.trimmedDescription)
    } else if let member = name.as(MemberAccessExprSyntax.self), member.base != nil {
      self.init(member.declName.baseName, clause, expression.trimmedDescription)
    } else {
      return nil
    }
  }

  private init(_ name: TokenSyntax, _ clause: GenericArgumentClauseSyntax?, _ text: String) {
    base = name.text
    arguments = clause?.arguments.trimmedDescription
    self.text = text
  }
}
