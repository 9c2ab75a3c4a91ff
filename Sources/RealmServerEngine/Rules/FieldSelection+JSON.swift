// SPDX-License-Identifier: Apache-2.0

// Selections of properties as they are stored with a client's file.

import RealmFormats
import RealmReplication

extension FieldSelection {
  /// The selection as it is stored.
  var json: JSONValue {
    var members = [
      JSONMember("others", .bool(others)),
      JSONMember("exceptions", .array(exceptions.sorted().map { .string($0) })),
    ]
    if !inside.isEmpty {
      members.append(
        JSONMember(
          "inside",
          .object(
            inside.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value.json) })))
    }
    return .object(members)
  }

  /// The selection of stored JSON; nil for other values.
  init?(_ json: JSONValue) {
    guard let others = json["others"]?.bool, let elements = json["exceptions"]?.array else {
      return nil
    }
    let names = elements.compactMap(\.string)
    guard names.count == elements.count else { return nil }
    self.init(others: others, exceptions: Set(names))
    guard let parts = json["inside"] else { return }
    guard case .object(let members) = parts else { return nil }
    for member in members {
      guard let part = FieldSelection(member.value) else { return nil }
      set(member.key, to: part)
    }
  }
}
