// SPDX-License-Identifier: Apache-2.0

// `isEqual(_:)` and `hash` of collections, for code that does not know their types.

import RealmTables

extension RealmCollection {
  /// Whether `object` is a collection of this type that equals this one.
  public func isEqual(_ object: Any?) -> Bool { (object as? Self).map { $0 == self } ?? false }

  /// A hash that equal collections share. May be called on any thread.
  public var hash: Int { Hasher.hash(ObjectIdentifier(Element.self)) }
}

extension Results {
  /// A hash that equal results share. May be called on any thread.
  public var hash: Int { Hasher.hash(ObjectIdentifier(state)) }
}

extension List {
  /// A hash that equal lists share. May be called on any thread.
  public var hash: Int { Hasher.hash(managed?.identity) }
}

extension MutableSet {
  /// A hash that equal sets share. May be called on any thread.
  public var hash: Int { Hasher.hash(managed?.identity) }
}

extension Map {
  /// Whether `object` is a map of this type that equals this one.
  public func isEqual(_ object: Any?) -> Bool { (object as? Map).map { $0 == self } ?? false }

  /// A hash that equal maps share. May be called on any thread.
  public var hash: Int { Hasher.hash(managed?.identity) }
}

extension ManagedCollection {
  /// The identity of a collection: its realm, object and property.
  fileprivate struct Identity: Hashable {
    let core: ObjectIdentifier
    let key: Int64
    let property: Int
  }

  fileprivate var identity: Identity {
    Identity(core: ObjectIdentifier(core), key: key.rawValue, property: property.index)
  }
}

extension Hasher {
  fileprivate static func hash(_ value: some Hashable) -> Int {
    var hasher = Hasher()
    hasher.combine(value)
    return hasher.finalize()
  }
}
