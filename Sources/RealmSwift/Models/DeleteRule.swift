// SPDX-License-Identifier: Apache-2.0

// What deleting an object means for the objects that it links to: declared by the program, and
// nowhere in the file.

/// What happens to linked objects when the object that links to them is deleted.
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
/// removed. They apply to what is deleted by a rule in turn; objects that link to each other in a
/// circle are deleted once. All deletions are part of the same transaction, and observers are told
/// of each.
///
/// Taking an object out of a list, or setting a link to nil, deletes nothing: the object that had
/// it is still there. The rules are those of the classes in the realm's schema; a program without
/// them deletes what it says and nothing else.
public enum DeleteRule: UInt8, Sendable, CaseIterable {
  /// They stay. This is what properties without a rule do.
  case nullify
  /// They are deleted, whoever else links to them.
  case cascade
  /// They are deleted, unless an object that stays links to them. Links among the objects that go,
  /// and among those that would go with them, do not count.
  case cascadeIfOrphaned
  /// As long as one of them stays, the object cannot be deleted: trying to ends the process, before
  /// anything is deleted. Ask first whether the property is empty. Embedded objects can always be
  /// replaced and removed.
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
  public init(onDelete rule: DeleteRule) { self.init(value: nil, flags: rule.flags) }

  /// Declares a property with an initial value, whose linked objects follow a rule when the object
  /// is deleted.
  public init(wrappedValue value: Value, onDelete rule: DeleteRule) {
    self.init(value: value, flags: rule.flags)
  }
}

extension Persisted where Value: LinkingObjectsProtocol {
  /// Declares the objects that link here through the property called `originProperty`, and what
  /// becomes of them when this object is deleted.
  public init(originProperty: String, onDelete rule: DeleteRule) {
    self.init(
      value: Value(fromType: ObjectBase.self, property: originProperty), flags: rule.flags)
  }
}

extension DeleteRule {
  /// The rule as part of the arguments of a `@Persisted` declaration.
  fileprivate var flags: UInt { UInt(rawValue) << 3 }
}

extension PersistedFlags {
  /// The rule for linked objects.
  var deleteRule: DeleteRule { DeleteRule(rawValue: UInt8(rawValue >> 3 & 3)) ?? .nullify }
}
