// SPDX-License-Identifier: Apache-2.0

// `Parcel`: a published value on its way to the scheduler where it is received.

#if canImport(Combine) || OpenCombine
import Dispatch

/// A value on its way to a scheduler. It is packed where its realm lives, and opened once on the
/// scheduler.
struct Parcel<Value> {
  /// The counterpart of the value in the realm of the calling code, which runs on the queue if
  /// there is one; nil if it was deleted meanwhile.
  let open: (DispatchQueue?) -> Value?

  init(open: @escaping (DispatchQueue?) -> Value?) { self.open = open }

  /// A value that may be used anywhere.
  init(_ value: Value) { self.init { _ in value } }

  func map<Other>(_ change: @escaping (Value) -> Other?) -> Parcel<Other> {
    Parcel<Other> { queue in open(queue).flatMap(change) }
  }
}

extension Parcel where Value: ThreadConfined {
  /// A value that may be of a realm.
  init(confined value: Value) {
    if value.isFrozen {
      self.init(value)
    } else if value.isInvalidated {
      let (definition, configuration) = (value._definition, value.realm?.configuration)
      guard definition.isGone, let configuration else {
        self.init { _ in nil }
        return
      }
      // The last change of a collection that is gone arrives with one that is empty.
      self.init { queue in
        (try? Realm(configuration: configuration, queue: queue)).flatMap {
          Value._local(definition, in: $0)
        }
      }
    } else if let realm = value.realm {
      let reference = ThreadSafeReference(to: value)
      let configuration = realm.configuration
      self.init { queue in
        try? Realm(configuration: configuration, queue: queue).resolve(reference)
      }
    } else {
      self.init(value)
    }
  }
}

extension Parcel {
  /// The changes of an object, with the objects among the values of its properties.
  init<T: ThreadConfined>(change: ObjectChange<T>) where Value == ObjectChange<T> {
    guard case .change(let object, let properties) = change else {
      self.init(change)
      return
    }
    let parcel = Parcel<T>(confined: object)
    let parcels = properties.map(Parcel<PropertyChange>.init(change:))
    self.init { queue in
      parcel.open(queue).map { .change($0, parcels.compactMap { $0.open(queue) }) }
    }
  }

  /// The changes of a collection, a map or sections.
  init(change: Value) where Value: CollectionChange {
    guard let (subject, make) = change.parts else {
      self.init(change)
      return
    }
    self = Parcel<Value.Subject>(confined: subject).map(make)
  }
}

// MARK: - Values of properties

extension Parcel where Value == PropertyChange {
  fileprivate init(change: PropertyChange) {
    let oldValue = change.oldValue.map(Parcel<Any>.init(any:))
    let newValue = change.newValue.map(Parcel<Any>.init(any:))
    self.init { queue in
      PropertyChange(
        name: change.name, oldValue: oldValue?.open(queue), newValue: newValue?.open(queue))
    }
  }
}

extension Parcel where Value == Any {
  fileprivate init(any value: Any) {
    switch value {
    case let value as any ThreadConfined: self = Self.packed(value)
    case let value as AnyRealmValue:
      guard let confined = value.confined else {
        self.init(value)
        return
      }
      self = Self.packed(confined).map { AnyRealmValue(confined: $0) }
    default: self.init(value)
    }
  }

  private static func packed<T: ThreadConfined>(_ value: T) -> Parcel<Any> {
    Parcel<T>(confined: value).map { $0 }
  }
}

extension PropertyChange {
  /// The same change with frozen values, of which those that were deleted are left out.
  func frozen() -> PropertyChange {
    PropertyChange(
      name: name, oldValue: oldValue.flatMap(Self.frozen), newValue: newValue.flatMap(Self.frozen))
  }

  private static func frozen(_ value: Any) -> Any? {
    switch value {
    case let value as any ThreadConfined: value.isInvalidated ? nil : value.freeze()
    case let value as AnyRealmValue:
      value.confined.map { confined in
        frozen(confined).flatMap { AnyRealmValue(confined: $0) } as Any?
      } ?? value
    default: value
    }
  }
}

extension AnyRealmValue {
  /// The object or the collection that this is.
  fileprivate var confined: (any ThreadConfined)? {
    switch self {
    case .object(let object): object
    case .list(let list): list
    case .dictionary(let map): map
    default: nil
    }
  }

  fileprivate init?(confined: Any) {
    switch confined {
    case let object as Object: self = .object(object)
    case let list as List<AnyRealmValue>: self = .list(list)
    case let map as Map<String, AnyRealmValue>: self = .dictionary(map)
    default: return nil
    }
  }
}
#endif
