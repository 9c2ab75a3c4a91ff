// SPDX-License-Identifier: Apache-2.0

// A model class in one realm: where its properties are stored.

/// What one realm knows about one model class.
@usableFromInline
final class ClassInfo {
  let schema: ModelSchema
  /// The realm; it owns this object.
  unowned let core: RealmCore

  init(schema: ModelSchema, core: RealmCore) {
    self.schema = schema
    self.core = core
  }
}
