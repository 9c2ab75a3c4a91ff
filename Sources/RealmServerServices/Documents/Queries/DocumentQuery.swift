// SPDX-License-Identifier: Apache-2.0

// Query documents: the conditions of calls.

#if Server
import RealmFormats

/// A condition on documents.
indirect enum DocumentQuery: Sendable {
  case constant(Bool)
  case all([DocumentQuery])
  case any([DocumentQuery])
  case not(DocumentQuery)
  case field(DocumentPath, DocumentTest)
  case expression(DocumentExpression)

  /// Whether a document matches.
  func matches(
    _ document: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    try work.spend()
    switch self {
    case .constant(let truth): return truth
    case .all(let parts):
      for part in parts where try !part.matches(document, &work) { return false }
      return true
    case .any(let parts):
      for part in parts where try part.matches(document, &work) { return true }
      return false
    case .not(let part): return try !part.matches(document, &work)
    case .field(let path, let test):
      let mark = work.madeByteCount
      let isMatch = try test.matches(path.values(in: document, &work), &work)
      work.forgetMade(since: mark)
      return isMatch
    case .expression(let expression):
      let mark = work.madeByteCount
      let isMatch = try expression.value(in: document, &work)?.isTrue ?? false
      work.forgetMade(since: mark)
      return isMatch
    }
  }

  /// The properties in the condition; nil if all of a document may count.
  var fields: Set<String>? {
    switch self {
    case .constant: return []
    case .all(let parts), .any(let parts):
      var fields: Set<String> = []
      for part in parts {
        guard let more = part.fields else { return nil }
        fields.formUnion(more)
      }
      return fields
    case .not(let part): return part.fields
    case .field(let path, _): return [path.field]
    case .expression: return nil
    }
  }

  /// The values that a field has in all matching documents, as far as the condition says so: for
  /// new documents, and for the partition of the documents.
  func equalities() -> [(path: DocumentPath, value: BSONValue)] {
    switch self {
    case .all(let parts): parts.flatMap { $0.equalities() }
    case .any(let parts) where parts.count == 1: parts[0].equalities()
    case .field(.nothing, _): []
    case .field(let path, .equal(let value)): [(path, value)]
    case .field(let path, .oneOf(let values, let patterns))
    where values.count == 1 && patterns.isEmpty:
      [(path, values[0])]
    default: []
    }
  }
}
#endif
