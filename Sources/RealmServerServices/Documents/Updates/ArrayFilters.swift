// SPDX-License-Identifier: Apache-2.0

// The conditions of the places `$[name]` of updates.

#if Server
import RealmFormats

/// The filters of an update, by their names.
struct ArrayFilters: Sendable {
  private var queries: [String: DocumentQuery] = [:]
  private var used: Set<String> = []

  /// - Parameter value: An array of conditions, each about one name; nil for none.
  init(_ value: BSONValue? = nil) throws(DocumentError) {
    guard let value else { return }
    guard let filters = value.values else {
      throw .badArgument("'arrayFilters' needs to be an array of conditions")
    }
    for filter in filters {
      let query = try DocumentQuery(filter)
      guard let names = query.fields, names.count == 1, let name = names.first, Self.isName(name)
      else {
        throw .badArgument(
          "each of 'arrayFilters' is a condition about one name of small letters, as "
            + "{\"e.field\": 1}")
      }
      guard queries.updateValue(query, forKey: name) == nil else {
        throw .badArgument("'arrayFilters' has two conditions for '\(name)'")
      }
    }
  }

  init() {}

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, (97...122).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
  }

  /// Checks the places of arrays in a path of the update.
  mutating func check(_ path: DocumentPath) throws(DocumentError) {
    for (index, step) in path.steps.enumerated() where step.hasPrefix("$") {
      guard index > 0, let name = DocumentPath.filterName(step) else {
        throw .unsupported("the place \(step) of arrays is not supported in updates")
      }
      guard name.isEmpty || queries[String(name)] != nil else {
        throw .badArgument("'arrayFilters' has no condition for '\(name)' of '\(path.text)'")
      }
      used.insert(String(name))
    }
  }

  func checkAllAreUsed() throws(DocumentError) {
    for name in queries.keys.sorted() where !used.contains(name) {
      throw .badArgument("the update does not use '\(name)' of 'arrayFilters'")
    }
  }

  /// Whether the filter of a name takes an element of an array.
  func chooses(
    _ name: Substring, _ element: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    let name = String(name)
    guard let query = queries[name] else { return false }
    return try query.matches(.document([BSONElement(name, element)]), &work)
  }
}
#endif
