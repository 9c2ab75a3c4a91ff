// SPDX-License-Identifier: Apache-2.0

// The order of results.

#if Server
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
      var values: [BSONValue] = []
      for key in keys {
        values.append(try Self.key(of: document, key.path, key.isDescending, &work))
      }
      rows.append((values, document))
    }
    try BSONOrder.sort(&rows, &work) { (left, right, work) throws(DocumentError) in
      try order(left.values, right.values, &work)
    }
    return rows.map(\.document)
  }

  /// Less than 0 if the values of the keys of one document come before those of another.
  private func order(
    _ left: [BSONValue], _ right: [BSONValue], _ work: inout DocumentWork
  ) throws(DocumentError) -> Int {
    for (index, key) in keys.enumerated() {
      let order = try BSONOrder.compare(left[index], right[index], &work)
      if order != 0 { return key.isDescending ? -order : order }
    }
    return 0
  }

  /// Of an array the smallest element decides, in descending order the largest.
  private static func key(
    of document: BSONValue, _ path: DocumentPath, _ isDescending: Bool, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    var best: BSONValue?
    let mark = work.madeByteCount
    for value in try path.values(in: document, &work).values {
      for candidate in value.values ?? [value] {
        guard let known = best else {
          best = candidate
          continue
        }
        let order = try BSONOrder.compare(candidate, known, &work)
        if isDescending ? order > 0 : order < 0 { best = candidate }
      }
    }
    work.forgetMade(since: mark)
    return best ?? .null
  }
}
#endif
