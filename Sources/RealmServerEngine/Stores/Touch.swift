// SPDX-License-Identifier: Apache-2.0

// The trace that a version leaves of each object it wrote to, so that views of earlier versions can
// be computed.

package import RealmTables

/// An object that a version touched, with what queries can ask of it before and after.
package struct Touch: Hashable, Sendable {
  /// A property that changed.
  package struct Field: Hashable, Sendable {
    package var name: String
    package var before: TableValue

    package init(name: String, before: TableValue) {
      self.name = name
      self.before = before
    }
  }

  /// Whether the object was and is there.
  package enum Existence: UInt8, Hashable, Sendable {
    case stayed = 0
    case created = 1
    /// All properties that queries can ask for are in `fields`.
    case erased = 2
    /// It was not there before and is not afterwards.
    case absent = 3
  }

  package var object: ObjectIdentity
  package var existence: Existence
  /// The properties that changed, with their values before; none if the object was created.
  package var fields: [Field]
  /// Whether the author's first change of it was to make it, whatever merging left of that: it had
  /// no such object before.
  package var isMade: Bool
  /// Whether merging discarded that.
  package var isLost: Bool

  package init(
    object: ObjectIdentity, existence: Existence, fields: [Field] = [], isMade: Bool = false,
    isLost: Bool = false
  ) {
    self.isLost = isLost
    self.isMade = isMade
    self.object = object
    self.existence = existence
    self.fields = fields
  }
}
