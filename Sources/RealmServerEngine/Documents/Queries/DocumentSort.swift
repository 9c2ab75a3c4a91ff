// SPDX-License-Identifier: Apache-2.0

// The order of results.

import RealmFormats

/// Fields with directions.
struct DocumentSort: Sendable {
  private var keys: [(path: DocumentPath, isDescending: Bool)] = []

  /// - Parameter value: A document, or an array of documents whose keys follow each other.
  init(_ value: BSONValue) throws(DocumentError) {
    var elements: [BSONElement] = []
    for part in value.values ?? [value] {
      guard let more = part.elements else { throw .badArgument("a sort needs to be a document") }
      elements += more
    }
    for element in elements {
      guard let direction = element.value.wholeNumber, direction == 1 || direction == -1 else {
        throw .unsupported("the sort by '\(element.key)' has another direction than 1 and -1")
      }
      keys.append((try DocumentPath(element.key), direction == -1))
    }
    guard keys.count <= 32 else { throw .badArgument("a sort has at most 32 fields") }
  }

  /// Sorts documents; equal ones stay in their order.
  func sorted(
    _ documents: [BSONValue], _ work: inout DocumentWork
  ) throws(DocumentError) -> [BSONValue] {
    guard !keys.isEmpty else { return documents }
    var rows: [(values: [BSONValue], document: BSONValue)] = []
    for document in documents {
      try work.spend(keys.count)
      rows.append((keys.map { Self.key(of: document, $0.path, $0.isDescending) }, document))
    }
    try work.spend(rows.count * max(1, rows.count.bitWidth - rows.count.leadingZeroBitCount))
    rows.sort { left, right in
      for (index, key) in keys.enumerated() {
        let order = BSONOrder.compare(left.values[index], right.values[index])
        if order != 0 { return key.isDescending ? order > 0 : order < 0 }
      }
      return false
    }
    return rows.map(\.document)
  }

  /// Of an array the smallest element decides, in descending order the largest.
  private static func key(
    of document: BSONValue, _ path: DocumentPath, _ isDescending: Bool
  ) -> BSONValue {
    var best: BSONValue?
    for value in path.values(in: document).values {
      for candidate in value.values ?? [value] {
        guard let known = best else {
          best = candidate
          continue
        }
        let order = BSONOrder.compare(candidate, known)
        if isDescending ? order > 0 : order < 0 { best = candidate }
      }
    }
    return best ?? .null
  }
}
