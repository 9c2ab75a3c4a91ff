// SPDX-License-Identifier: Apache-2.0

// What a user may read of each class.

import RealmFormats

/// The read filters of a user's roles.
package struct ReadFilters: Hashable, Sendable {
  /// Those of classes with roles of their own.
  package var classes: [String: ObjectFilter]
  /// That of all other classes.
  package var fallback: ObjectFilter

  package init(classes: [String: ObjectFilter] = [:], fallback: ObjectFilter) {
    self.classes = classes
    self.fallback = fallback
  }

  package subscript(className: String) -> ObjectFilter { classes[className] ?? fallback }
}

extension SessionPermissions {
  /// The part about reading.
  package var filters: ReadFilters {
    ReadFilters(classes: classes.mapValues(\.read), fallback: fallback.read)
  }
}

extension ReadFilters {
  /// The filters as they are stored.
  var json: JSONValue {
    .object([
      JSONMember("default", fallback.json),
      JSONMember(
        "classes",
        .object(
          classes.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value.json) })),
    ])
  }

  /// The filters of stored JSON; nil for other values.
  init?(_ json: JSONValue) {
    guard let fallback = json["default"].flatMap({ ObjectFilter($0) }),
      case .object(let members)? = json["classes"]
    else { return nil }
    self.init(fallback: fallback)
    for member in members {
      guard let filter = ObjectFilter(member.value) else { return nil }
      classes[member.key] = filter
    }
  }
}
