// SPDX-License-Identifier: Apache-2.0

// A subscription set at the server.

import RealmSyncProtocol

/// The queries of a subscription set with its version.
struct SessionQuery: Hashable, Sendable {
  let version: UInt64
  /// The document as the client sent it.
  let text: String
  let effective: EffectiveQuery

  init(_ query: VersionedQuery) throws(SessionRefusal) {
    guard query.version <= UInt64(Int64.max), query.text.utf8.count <= QueryDocument.byteCountMax,
      let document = QueryDocument(text: query.text)
    else { throw SessionRefusal(.badQuery, "Invalid query: a bad document") }
    version = query.version
    text = query.text
    effective = EffectiveQuery(document.queries)
  }
}
