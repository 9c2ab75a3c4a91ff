// SPDX-License-Identifier: Apache-2.0

// The public description of the classes in a realm.

import Foundation
import RealmSession

/// The classes of a realm.
public struct Schema: Equatable, Sendable {
  /// The classes in the order of their names.
  public let objectSchema: [ObjectSchema]

  init(_ schemas: [ModelSchema]) {
    objectSchema = schemas.sorted { $0.className < $1.className }.map { ObjectSchema($0) }
  }

  /// The class called `className`; nil if there is none.
  public subscript(className: String) -> ObjectSchema? {
    objectSchema.first { $0.className == className }
  }
}

extension Schema: CustomStringConvertible {
  /// All classes with their properties.
  public var description: String {
    let lines = objectSchema.map {
      "\t\($0.description.replacingOccurrences(of: "\n", with: "\n\t"))\n"
    }
    return "Schema {\n" + lines.joined() + "}"
  }
}

extension Realm {
  /// The classes that the realm stores. It may be read on any thread.
  public var schema: Schema {
    // In a file that cannot be changed some classes have no table.
    if core.isReadOnly { return Schema(RealmOpener.schemas(of: core.configuration)) }
    return Schema(core.classes.all.map(\.schema))
  }
}
