// SPDX-License-Identifier: Apache-2.0

// By what, and in which direction, collections are sorted.

/// A property to sort by, and the direction.
///
/// A string literal is an ascending sort by the property that it names.
public struct SortDescriptor: Hashable, Sendable {
  /// The property, or the properties joined by dots; all but the last are links to one object.
  public let keyPath: String

  /// Whether small values come first.
  public let ascending: Bool

  /// Creates a descriptor for the named property.
  public init(keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    self.ascending = ascending
  }

  /// Creates a descriptor for the property at the end of `keyPath`.
  public init<Element: ObjectBase>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
    self.init(keyPath: _name(for: keyPath), ascending: ascending)
  }

  /// The same property in the other direction.
  public func reversed() -> SortDescriptor {
    SortDescriptor(keyPath: keyPath, ascending: !ascending)
  }
}

extension SortDescriptor: CustomStringConvertible {
  /// The property and the direction.
  public var description: String {
    "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
  }
}

extension SortDescriptor: ExpressibleByStringLiteral {
  /// An ascending sort by the property that the literal names.
  public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }
}
