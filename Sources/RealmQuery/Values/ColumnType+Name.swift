// SPDX-License-Identifier: Apache-2.0

// Types and collections by their names.

package import RealmTables

extension ColumnType {
  /// The types of values that link to nothing by their type, values of any type included.
  package static let valueTypes = allCases.filter {
    ![.link, .backlink, .typedLink].contains($0)
  }

  /// The name in files, on the command line and on Studio's page.
  package var name: String {
    switch self {
    case .binary: "data"
    case .timestamp: "date"
    default: "\(self)"
    }
  }

  /// The name in messages about queries, and in conditions on types.
  var queryName: String {
    switch self {
    case .link, .backlink, .typedLink: "object"
    case .objectId: "object id"
    case .decimal: "decimal128"
    default: name
    }
  }
}

extension CollectionKind {
  /// The name in files and on Studio's page; nil for single values.
  package var name: String? { self == .none ? nil : "\(self)" }

  /// The kind of a name; nil for other names.
  package init?(name: String) {
    switch name {
    case "list": self = .list
    case "set": self = .set
    case "dictionary": self = .dictionary
    default: return nil
    }
  }
}
