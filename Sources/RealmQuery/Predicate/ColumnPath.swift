// SPDX-License-Identifier: Apache-2.0

// Key paths after binding: by the names of columns.

/// The names of the columns that lead from an object to a value.
package struct ColumnPath: Hashable, Sendable {
  package private(set) var names: [String]
  /// The function of the collection on the path, instead of its elements.
  package var function: CollectionFunction?
  /// The number of names that lead to the collection of the function, for messages alone.
  package var collectionLength: Int?
  /// The parts of collections and nested values, by the index of the name in front of them; no list
  /// is empty.
  package private(set) var parts: [Int: [CollectionPart]] = [:]

  /// The object, or the value of a collection, itself.
  package static let itself = ColumnPath([])
  /// The name of the type of a value itself.
  static let typeOfItself = ColumnPath([], parts: [-1: [.type]])

  package init(
    _ names: [String], function: CollectionFunction? = nil, parts: [Int: [CollectionPart]] = [:]
  ) {
    self.names = names
    self.function = function
    self.parts = parts.filter { !$0.value.isEmpty }
  }

  /// The path from the object that the first `count` names lead to.
  package func droppingFirst(_ count: Int) -> ColumnPath {
    // Parts of a value itself stand before the first name.
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

  /// The path with its function, which follows the collection: `list.@avg.price`.
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
