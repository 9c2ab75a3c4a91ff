// SPDX-License-Identifier: Apache-2.0

// The public description of a class in a realm.

import Foundation
import RealmTables

/// A class in the schema of a realm.
public struct ObjectSchema: Sendable {
  /// The stored properties, in the order of their declarations. Those of linking objects are found
  /// by name only.
  public let properties: [Property]
  /// The name of the class.
  public let className: String
  /// The class; `DynamicObject` if the schema is that of a file.
  public let objectClass: AnyClass
  /// Whether the objects are part of a parent object.
  public let isEmbedded: Bool
  /// Whether the objects are only sent to a server and never read.
  public let isAsymmetric: Bool
  /// The property that no two objects have the same value of; nil if there is none.
  public let primaryKeyProperty: Property?

  private let linking: [Property]

  init(_ schema: ModelSchema) {
    let all = schema.properties.map { Property($0) }
    properties = all.filter { $0.type != .linkingObjects }
    linking = all.filter { $0.type == .linkingObjects }
    className = schema.className
    objectClass = schema.modelClass
    isEmbedded = schema.tableKind == .embedded
    isAsymmetric = schema.tableKind == .asymmetric
    primaryKeyProperty = all.first(where: \.isPrimary)
  }

  /// The property called `propertyName`; nil if there is none.
  public subscript(propertyName: String) -> Property? {
    properties.first { $0.name == propertyName } ?? linking.first { $0.name == propertyName }
  }
}

extension ObjectSchema: Equatable {
  /// Whether the classes have the same name and the same properties.
  public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
    left.className == right.className && left.isEmbedded == right.isEmbedded
      && left.isAsymmetric == right.isAsymmetric && left.properties == right.properties
  }
}

extension ObjectSchema: CustomStringConvertible {
  /// The name and the stored properties.
  public var description: String {
    let kind = isEmbedded ? " (embedded)" : isAsymmetric ? " (asymmetric)" : ""
    let lines = properties.map {
      "\t\($0.description.replacingOccurrences(of: "\n", with: "\n\t"))\n"
    }
    return "\(className)\(kind) {\n" + lines.joined() + "}"
  }
}

extension ObjectBase {
  /// The schema of the object's class in its realm; for objects that no realm manages, the
  /// declaration of the class.
  public final var objectSchema: ObjectSchema { ObjectSchema(_schema) }

  /// The declared schema of the class; nil for `Object` and the other classes that models inherit
  /// from.
  public static func sharedSchema() -> ObjectSchema? {
    ModelClasses.isBase(self) ? nil : ObjectSchema(ModelSchema.of(self))
  }
}
