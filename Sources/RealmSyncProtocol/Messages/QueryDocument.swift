// SPDX-License-Identifier: Apache-2.0

// The queries of a subscription set as messages carry them.

import RealmFormats

/// A query for each class with subscriptions.
package struct QueryDocument: Hashable, Sendable {
  /// The longest document for a server.
  package static let byteCountMax = 256 * 1024

  /// The queries by class.
  package var queries: [String: String]

  package init(queries: [String: String] = [:]) { self.queries = queries }

  /// The document of subscriptions: queries of one class are sorted and joined by OR.
  package init(subscriptions: [(table: String, query: String)]) {
    var sorted: [String: [String]] = [:]
    for (table, query) in subscriptions { sorted[table, default: []].append(query) }
    queries = sorted.mapValues { all in
      let texts = Set(all).sorted()
      return texts.count == 1 ? texts[0] : texts.map { "(\($0))" }.joined(separator: " OR ")
    }
  }

  /// The JSON object, with the classes in order.
  package var text: String {
    JSONWriter.text(
      .object(queries.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }))
  }

  /// The queries of a JSON object, nil if it is another.
  package init?(text: String) {
    guard case .object(let members)? = try? JSONParser.parse(text) else { return nil }
    queries = [:]
    for member in members {
      guard let query = member.value.string, queries[member.key] == nil else { return nil }
      queries[member.key] = query
    }
  }
}

/// The queries of a subscription set, with its number.
package struct VersionedQuery: Hashable, Sendable {
  package var version: UInt64
  /// The text of a `QueryDocument`, or another one: only a server finds that out, and it has an
  /// answer of its own for it.
  package var text: String

  package init(version: UInt64, text: String) {
    self.version = version
    self.text = text
  }

  package init(version: UInt64, document: QueryDocument) {
    self.init(version: version, text: document.text)
  }
}
