// SPDX-License-Identifier: Apache-2.0

// How queries name what they look at.

/// The names of the properties that lead from an object to a value.
package struct PropertyPath: Hashable, Sendable {
  package private(set) var names: [String]
  /// What to compute from the collection on the path, instead of looking at its elements.
  package var function: CollectionFunction?
  /// How many of the names lead to the collection that the function is about, for texts alone.
  package var collectionLength: Int?
  /// What is taken out of collections and nested values, by the index of the name in front of it;
  /// no list is empty.
  package private(set) var parts: [Int: [CollectionPart]] = [:]

  package init(
    _ names: [String], function: CollectionFunction? = nil, part: CollectionPart? = nil
  ) {
    self.names = names
    self.function = function
    if let part { parts = [names.count - 1: [part]] }
  }

  package init(
    _ names: [String], function: CollectionFunction? = nil, parts: [Int: [CollectionPart]]
  ) {
    self.names = names
    self.function = function
    self.parts = parts.filter { !$0.value.isEmpty }
  }

  /// The path from the object that the first `count` names lead to.
  package func droppingFirst(_ count: Int) -> PropertyPath {
    // What is taken out of a value by itself stands before the first name.
    if count == 0 { return self }
    var path = self
    path.names.removeFirst(count)
    path.collectionLength = collectionLength.flatMap { $0 > count ? $0 - count : nil }
    path.parts = [:]
    for (index, parts) in parts where index >= count { path.parts[index - count] = parts }
    return path
  }

  /// The path as messages show it, without the function.
  package var text: String {
    names.isEmpty
      ? "self" + (parts[-1] ?? []).map(\.text).joined() : text(of: names.indices)
  }

  /// The path with its function, which stands behind the collection: `list.@avg.price`.
  var fullText: String {
    guard let function else { return text }
    let length = min(collectionLength ?? names.count, names.count)
    let end = text(of: length..<names.count)
    return text(of: 0..<length) + ".@\(function.rawValue)" + (end.isEmpty ? "" : "." + end)
  }

  private func text(of range: Range<Int>) -> String {
    range.map { names[$0] + (parts[$0] ?? []).map(\.text).joined() }.joined(separator: ".")
  }
}

/// What stands in brackets behind a collection, or behind a value that may be one.
package enum CollectionPart: Hashable, Sendable {
  /// The value that a dictionary has for a key; null if there is none.
  case value(of: String)
  /// The keys of a dictionary.
  case keys
  /// The element at a position of a list; null if there is none.
  case index(Int)
  case first, last
  /// Each element of a list, each value of a dictionary.
  case every
  /// The name of the type of a value of any type.
  case type

  var text: String {
    switch self {
    case .value(let key): "['\(key)']"
    case .keys: ".@allKeys"
    case .index(let index): "[\(index)]"
    case .first: "[FIRST]"
    case .last: "[LAST]"
    case .every: "[*]"
    case .type: ".@type"
    }
  }

  /// Whether the part stands for any number of values.
  var isMany: Bool {
    switch self {
    case .keys, .every: true
    case .value, .index, .first, .last, .type: false
    }
  }

  var isType: Bool { if case .type = self { true } else { false } }
}
