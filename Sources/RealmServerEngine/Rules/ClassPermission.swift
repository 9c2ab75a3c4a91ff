// SPDX-License-Identifier: Apache-2.0

// What a user may do with the objects of a class, or of all classes.

package import RealmReplication

/// The permission of a user for a class.
package struct ClassPermission: Hashable, Sendable {
  /// The role behind it; nil if none applies.
  package var role: String?
  /// The objects that the user may read.
  package var read: ObjectFilter
  /// The properties of them open to the user.
  package var readable = FieldSelection.all
  /// The objects that the user may change, make and delete, before and after the change.
  package var write: ObjectFilter
  package var inserts: Bool
  package var deletes: Bool
  /// The properties that the user may change, or of whose embedded objects a part.
  package var writable: FieldSelection

  /// The permission of a user to whom no role applies.
  package static let none = ClassPermission(
    role: nil, read: .constant(false), write: .constant(false), inserts: false, deletes: false,
    writable: FieldSelection(others: false))

  /// Whether a property, or a part of it, may be changed.
  package func mayWrite(field: String) -> Bool { writable.contains(field) }
}

/// The permissions of the user of a session, which stay until its end.
package struct SessionPermissions: Hashable, Sendable {
  /// Those of classes with roles of their own.
  package var classes: [String: ClassPermission]
  /// That of all other classes.
  package var fallback: ClassPermission

  package init(classes: [String: ClassPermission] = [:], fallback: ClassPermission = .none) {
    self.classes = classes
    self.fallback = fallback
  }

  package subscript(className: String) -> ClassPermission { classes[className] ?? fallback }
}
