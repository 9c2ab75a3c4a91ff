// SPDX-License-Identifier: Apache-2.0

// The effect of deleting an object on the objects that it links to: declared by the program, and
// not stored in the file.

/// The effect of deleting an object on the objects that it links to.
///
/// ```swift
/// class Book: Object {
///   @Persisted(onDelete: .cascade) var pages: List<Page>
///   @Persisted(onDelete: .cascadeIfOrphaned) var cover: Picture?
///   @Persisted(originProperty: "book", onDelete: .deny) var loans: LinkingObjects<Loan>
/// }
/// ```
///
/// Rules apply wherever objects are deleted: by `delete` of an object, a list or results, by
/// `deleteAll`, through dynamic objects, in migrations, and where an embedded object is replaced or
/// removed. They apply in turn to the objects that a rule deletes; objects that link to each other
/// in a circle are deleted once. All deletions are part of the same transaction, and observers are
/// notified of each.
///
/// Taking an object out of a list, or setting a link to nil, deletes nothing: the object still
/// exists. The rules are those of the classes in the realm's schema; a program without them deletes
/// only what it names.
public enum DeleteRule: UInt8, Sendable, CaseIterable {
  /// They stay. This is the rule of properties that declare none.
  case nullify
  /// They are deleted, whichever other objects link to them.
  case cascade
  /// They are deleted, unless an object that stays links to them. Links among the deleted objects,
  /// and among those that would be deleted with them, do not count.
  case cascadeIfOrphaned
  /// As long as one of them stays, the object cannot be deleted: trying to traps before anything is
  /// deleted. Check first whether the property is empty. Embedded objects can always be replaced
  /// and removed.
  case deny
}

/// Types of properties that hold links, and so can have a `DeleteRule`.
public protocol _LinkHolding {}

extension ObjectBase: _LinkHolding {}
extension AnyRealmValue: _LinkHolding {}
extension Optional: _LinkHolding where Wrapped: _LinkHolding {}
extension List: _LinkHolding where Element: _LinkHolding {}
extension MutableSet: _LinkHolding where Element: _LinkHolding {}
extension Map: _LinkHolding where Value: _LinkHolding {}

extension Persisted where Value: _LinkHolding {
  /// Declares a property whose linked objects follow a rule when the object is deleted.
  public init(onDelete rule: DeleteRule) { self.init(value: nil, flags: PersistedFlags(rule)) }

  /// Declares a property with an initial value, whose linked objects follow a rule when the object
  /// is deleted.
  public init(wrappedValue value: Value, onDelete rule: DeleteRule) {
    self.init(value: value, flags: PersistedFlags(rule))
  }
}

extension Persisted where Value: LinkingObjectsProtocol {
  /// Declares the objects that link here through the property called `originProperty`, and the rule
  /// for them when this object is deleted.
  public init(originProperty: String, onDelete rule: DeleteRule) {
    self.init(
      value: Value(fromType: ObjectBase.self, property: originProperty), flags: PersistedFlags(rule)
    )
  }
}
