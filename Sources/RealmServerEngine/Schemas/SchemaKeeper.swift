// SPDX-License-Identifier: Apache-2.0

// The schema of an app, as its realms ask for it.
//
// Invariants:
// 1. A declaration of a device is in the schema, and the schema on the disk, before a realm has it.
// 2. A fixed schema is changed by the operator alone.
// 3. Where another server has added to the schema, its additions are there before those of a device
//    here are decided on.

import RealmDeclarations
package import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Decides on the classes and properties of devices (P4 D).
package final class SchemaKeeper: Sendable {
  private struct State {
    var schema: AppSchema
    var isFixed: Bool
  }

  private let state: Locked<State>
  private let store: @Sendable (AppSchema) -> Result<AppSchema?, StorageError>

  /// - Parameters:
  ///   - isFixed: Whether devices may add nothing, as in production mode.
  ///   - store: Makes a schema durable and returns nil, or returns the schema that another server
  ///     has stored meanwhile.
  package init(
    _ schema: AppSchema, isFixed: Bool,
    store: @escaping @Sendable (AppSchema) -> Result<AppSchema?, StorageError>
  ) {
    state = Locked(State(schema: schema, isFixed: isFixed))
    self.store = store
  }

  /// The present schema.
  package var schema: AppSchema { state.withLock { $0.schema } }

  /// Takes the schema of an operator. If devices may add to it, their additions stay.
  ///
  /// - Parameter schema: Nil for the present one.
  /// - Returns: The names with different definitions in the two; the operator's counts.
  package func apply(_ schema: AppSchema?, isFixed: Bool) -> [String] {
    state.withLock { state in
      let before = state.schema
      state = State(schema: schema ?? before, isFixed: isFixed)
      return isFixed ? [] : state.schema.add(before.declared)
    }
  }

  /// Why a declaration is refused; nil if it is not.
  func refusal(of declaration: SchemaDeclaration) -> SessionRefusal? {
    state.withLock { Self.refusal(of: declaration, $0) }
  }

  private static func refusal(
    of declaration: SchemaDeclaration, _ state: State
  ) -> SessionRefusal? {
    switch state.schema.finding(declaration) {
    case .known: nil
    case .new:
      state.isFixed
        ? SessionRefusal(
          .invalidSchemaChange,
          "The app's schema has no \(declaration.name), and devices add nothing to it in "
            + "production mode")
        : nil
    case .conflict: .otherDefinition(of: declaration.name)
    }
  }

  /// Adds declarations, durably.
  ///
  /// - Returns: Why one of them is refused; nothing is added then.
  func add(_ declarations: [SchemaDeclaration]) throws(StorageError) -> SessionRefusal? {
    guard !declarations.isEmpty else { return nil }
    return try state.withLock { state throws(StorageError) in
      while true {
        var changed = state
        for declaration in declarations {
          if let refusal = Self.refusal(of: declaration, state) { return refusal }
          if changed.schema.add(declaration) == .conflict {
            return .otherDefinition(of: declaration.name)
          }
        }
        guard changed.schema != state.schema else { return nil }
        assert(!state.isFixed, "`SchemaKeeper` 2: a device changes a fixed schema")
        guard let newer = try store(changed.schema).get() else {
          state = changed
          return nil
        }
        state.schema = newer
      }
    }
  }
}

/// The declarations of an upload.
struct SchemaReview {
  private let keeper: SchemaKeeper?
  private var news: [SchemaDeclaration] = []

  /// - Parameter keeper: Nil where devices may declare everything.
  init(_ keeper: SchemaKeeper?) { self.keeper = keeper }

  /// Notes the declarations of a changeset without a counterpart in its realm. Carrying the
  /// changeset out compares the others, but for missing values.
  ///
  /// - Returns: Why the changeset is refused; nil if it is not.
  mutating func add(
    _ changeset: Changeset, in group: WriteGroup
  ) throws(StorageError) -> SessionRefusal? {
    guard let keeper else { return nil }
    for declaration in SchemaDeclaration.all(in: changeset) {
      switch declaration {
      case .type(let declared):
        if try group.table(named: "class_" + declared.name) != nil { continue }
      case .property(let property, let owner):
        if let column = try group.table(named: "class_" + owner)?.schema
          .column(named: property.name)
        {
          guard column.isNullable == property.isNullable || column.canLink else {
            return .otherDefinition(of: declaration.name)
          }
          continue
        }
      }
      if let refusal = keeper.refusal(of: declaration) { return refusal }
      news.append(declaration)
    }
    return nil
  }

  /// Brings the news into the schema of the app, before the transaction is committed.
  ///
  /// - Returns: Why the upload is refused, as another realm was faster; nil if it is not.
  func finish() throws(StorageError) -> SessionRefusal? { try keeper?.add(news) }
}

extension SessionRefusal {
  /// The refusal of a second definition of a class or property.
  static func otherDefinition(of name: String) -> SessionRefusal {
    SessionRefusal(.invalidSchemaChange, "Another definition of \(name) exists")
  }
}
