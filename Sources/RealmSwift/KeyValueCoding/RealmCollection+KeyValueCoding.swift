// SPDX-License-Identifier: Apache-2.0

// Reads and sets a property of all objects of a collection by name. Linux's Foundation has no
// key-value coding, so the methods are declared here.

import Foundation
import RealmSession

extension RealmCollection {
  /// The value of the property called `key` of each object, in an array with `NSNull` for nil;
  /// `self` represents the elements. Of a `MutableSet` the values are a set: each occurs once.
  ///
  /// An array with nulls can be cast to one of optionals. The values inside mixed values are
  /// returned as they are. Traps if the class has no such property.
  public func value(forKey key: String) -> Any? {
    let values = KeyValuePath.values(
      of: KeyValuePath.elements(of: self), at: Substring(key), in: nil)
    guard let array = values as? [Any], (self as? any AnySet)?.isSet ?? false else { return values }
    let members = array.compactMap { $0 as? AnyHashable }
    return members.count == array.count ? Set(members) : values
  }

  /// The values that a key path leads to from each object, or the result of an operator on them.
  ///
  /// ```swift
  /// people.value(forKeyPath: "dogs.@count")
  /// people.value(forKeyPath: "@avg.age")
  /// people.value(forKeyPath: "@distinctUnionOfObjects.name")
  /// ```
  ///
  /// The operators are `@count`, `@sum`, `@avg`, `@min`, `@max`, `@unionOfObjects`,
  /// `@distinctUnionOfObjects`, and the unions of arrays and of sets. The path is followed in
  /// memory: `sum(ofProperty:)` and the like are faster for large collections.
  ///
  /// Traps if there is no such property or operator.
  public func value(forKeyPath keyPath: String) -> Any? {
    KeyValuePath.values(
      of: KeyValuePath.elements(of: self), at: Substring(keyPath),
      in: Element.self as? ObjectBase.Type)
  }

  /// Sets the property called `key` of each object.
  ///
  /// Traps outside of a write transaction, unless no realm manages the collection, if the class has
  /// no such property, and if `value` is not of its type.
  public func setValue(_ value: Any?, forKey key: String) {
    if let core = realm?.core {
      core.checkIsolation()
      core.requireWrite(
        orElse: "Cannot modify Results outside of a write transaction. Set '\(key)' in "
          + "'realm.write { … }'.")
    }
    setEach(value, forKey: key)
  }

  fileprivate func setEach(_ value: Any?, forKey key: String) {
    for element in Array(self) {
      guard let object = modelObject(element) else {
        throwRealmException("Invalid property name '\(key)' for values of type '\(Element.self)'.")
      }
      object.setValue(value, forKey: key)
    }
  }

  /// `value` as an element; traps for values of other types.
  fileprivate func element(_ value: Any?) -> Element {
    if let element = Element._convert(swiftValue(value as Any)) { return element }
    throwRealmException(
      "Invalid value '\(value ?? "(null)")' of type '\(value.map { "\(type(of: $0))" } ?? "nil")' "
        + "for elements of type '\(Element._shape.type)'.")
  }
}

extension List {
  /// The value of the property called `key` of each object, with `NSNull` for nil; `self`
  /// represents the elements.
  public func value(forKey key: String) -> [AnyObject] { objects(value(forKeyPath: key)) }

  /// The values that a key path leads to from each object; see
  /// `RealmCollection.value(forKeyPath:)`.
  @_disfavoredOverload
  public func value(forKeyPath keyPath: String) -> [AnyObject] {
    objects(value(forKeyPath: keyPath) as Any?)
  }

  /// Sets the property called `key` of each object; `self` represents the elements, which are all
  /// replaced by `value`.
  public func setValue(_ value: Any?, forKey key: String) {
    managed?.requireChangeable()
    guard key == "self" else { return setEach(value, forKey: key) }
    let element = element(value)
    for index in 0..<count { replace(index: index, object: element) }
  }
}

/// Collections that may be sets.
private protocol AnySet {
  var isSet: Bool { get }
}

extension MutableSet: AnySet {
  fileprivate var isSet: Bool { true }
}

extension AnyRealmCollection: AnySet {
  fileprivate var isSet: Bool { base is any AnySet }
}

extension MutableSet {
  /// The values of the property called `key` of the objects, each once, with `NSNull` for nil;
  /// `self` represents the elements.
  public func value(forKey key: String) -> [AnyObject] {
    objects(CollectionOperator.distinct(value(forKeyPath: key) as Any? as? [Any] ?? []))
  }

  /// The values that a key path leads to from each object; see
  /// `RealmCollection.value(forKeyPath:)`.
  @_disfavoredOverload
  public func value(forKeyPath keyPath: String) -> [AnyObject] {
    objects(value(forKeyPath: keyPath) as Any?)
  }

  /// Sets the property called `key` of each object; `self` represents the elements, which are all
  /// replaced by one.
  public func setValue(_ value: Any?, forKey key: String) {
    managed?.requireChangeable()
    guard key == "self" else { return setEach(value, forKey: key) }
    let element = element(value)
    removeAll()
    insert(element)
  }
}

extension RealmCollection {
  fileprivate func objects(_ values: Any?) -> [AnyObject] {
    (values as? [Any] ?? []).map { $0 as AnyObject }
  }
}

extension Map {
  /// The value that a key path leads to: a key and properties of its value, or an operator on all
  /// values, which may also be `@allKeys` or `@allValues` besides those of `RealmCollection`.
  public func value(forKeyPath keyPath: String) -> AnyObject? {
    KeyValuePath.value(of: self, at: Substring(keyPath)).map { $0 as AnyObject }
  }
}
