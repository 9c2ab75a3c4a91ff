// SPDX-License-Identifier: Apache-2.0

// What a user may read of each class.

import RealmFormats
package import RealmReplication

/// The right of a user to read, by its roles: objects, and properties of them.
package struct ReadFilters: Hashable, Sendable {
  /// The filters of classes with roles of their own.
  package var classes: [String: ObjectFilter]
  /// That of all other classes.
  package var fallback: ObjectFilter
  /// The properties of classes with roles of their own, where these do not let all be read.
  package var fields: [String: FieldSelection]
  /// The ones of all other classes.
  package var otherFields: FieldSelection

  package init(
    classes: [String: ObjectFilter] = [:], fallback: ObjectFilter,
    fields: [String: FieldSelection] = [:], otherFields: FieldSelection = .all
  ) {
    self.classes = classes
    self.fallback = fallback
    self.fields = fields.filter { !$0.value.isAll }
    self.otherFields = otherFields
  }

  package subscript(className: String) -> ObjectFilter { classes[className] ?? fallback }

  /// The readable properties of a class.
  func fields(ofClass name: String) -> FieldSelection {
    classes[name] == nil ? otherFields : fields[name] ?? .all
  }

  /// Whether a property of any class may not be read.
  var hidesFields: Bool { !fields.isEmpty || !otherFields.isAll }

  /// Whether a part of a property of any class may not be read.
  var haveParts: Bool { fields.haveParts || !otherFields.inside.isEmpty }
}

extension SessionPermissions {
  /// The part about reading.
  package var filters: ReadFilters {
    ReadFilters(
      classes: classes.mapValues(\.read), fallback: fallback.read,
      fields: classes.mapValues(\.readable), otherFields: fallback.readable)
  }
}

extension ReadFilters {
  /// The filters as they are stored.
  var json: JSONValue {
    var members = [
      JSONMember("default", fallback.json), JSONMember("classes", Self.object(classes, \.json)),
    ]
    if hidesFields {
      members.append(JSONMember("fields", Self.object(fields, \.json)))
      members.append(JSONMember("otherFields", otherFields.json))
    }
    return .object(members)
  }

  private static func object<Value>(
    _ values: [String: Value], _ json: (Value) -> JSONValue
  ) -> JSONValue {
    .object(values.sorted { $0.key < $1.key }.map { JSONMember($0.key, json($0.value)) })
  }

  /// The filters of stored JSON; nil for other values.
  init?(_ json: JSONValue) {
    guard let fallback = json["default"].flatMap({ ObjectFilter($0) }),
      let classes = Self.values(json["classes"], { ObjectFilter($0) })
    else { return nil }
    self.init(classes: classes, fallback: fallback)
    guard let stored = json["fields"] else { return }
    guard let fields = Self.values(stored, { FieldSelection($0) }),
      let others = json["otherFields"].flatMap({ FieldSelection($0) })
    else { return nil }
    (self.fields, otherFields) = (fields, others)
  }

  private static func values<Value>(
    _ json: JSONValue?, _ value: (JSONValue) -> Value?
  ) -> [String: Value]? {
    guard case .object(let members)? = json else { return nil }
    var values: [String: Value] = [:]
    for member in members {
      guard let known = value(member.value) else { return nil }
      values[member.key] = known
    }
    return values
  }
}
