// SPDX-License-Identifier: Apache-2.0

// The conditions of clients, bound once for as long as the classes stay.

import RealmTables

/// The views of queries that were bound to the classes of a version.
struct ViewCache: Sendable {
  private static let countMax = 1_024

  private var schemas: [TableSchema] = []
  private var views: [EffectiveQuery: View] = [:]

  /// A view that was bound to the same classes; nil if there is none.
  func view(_ query: EffectiveQuery, _ schemas: [TableSchema]) -> View? {
    // Versions with equal classes share their schemas.
    self.schemas.elementsEqual(schemas, by: { $0 === $1 }) ? views[query] : nil
  }

  /// Keeps a view that was bound to some classes.
  mutating func keep(_ view: View, of query: EffectiveQuery, _ schemas: [TableSchema]) {
    if views.count >= Self.countMax || !self.schemas.elementsEqual(schemas, by: { $0 === $1 }) {
      views = [:]
    }
    self.schemas = schemas
    views[query] = view
  }
}
