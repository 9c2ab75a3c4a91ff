// SPDX-License-Identifier: Apache-2.0

// Conformance of `AnyRealmValue` to `Hashable`; collections are compared as their own types do.

import RealmTables

extension AnyRealmValue: Hashable {
  /// Whether both have the same type and value; of collections as their types say.
  public static func == (left: AnyRealmValue, right: AnyRealmValue) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.int(let left), .int(let right)): left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.objectId(let left), .objectId(let right)): left == right
    case (.decimal128(let left), .decimal128(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.list(let left), .list(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    default: false
    }
  }

  /// Feeds the parts that `==` compares to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .int(let value): hasher.combine(value)
    case .bool(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .decimal128(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .list(let list): AnyRealmValue.hash(list.managed, list.count, into: &hasher)
    case .dictionary(let map): AnyRealmValue.hash(map.managed, map.count, into: &hasher)
    }
  }

  /// Feeds the hash of a collection: that of a realm by its identity, others by what they hold.
  private static func hash(
    _ managed: ManagedCollection?, _ count: @autoclosure () -> Int, into hasher: inout Hasher
  ) {
    guard let managed else { return hasher.combine(count()) }
    hasher.combine(managed.key.rawValue)
    hasher.combine(managed.path)
  }
}
