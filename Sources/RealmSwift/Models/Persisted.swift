// SPDX-License-Identifier: Apache-2.0

// The property wrapper that makes a property of a model a column of the database.
//
// Invariants:
// 1. The wrapper's address inside its object is the column: `ClassHot.columnAtOffset`. The flags
//    come first and fill a word, so every wrapper has an 8-byte slot of its own.
// 2. The stored value is used only while the object is unmanaged; but a collection that was taken
//    from it stays the property's (`ObjectBase._kept`). Links are released when the object becomes
//    managed.
//
// For speed, `&object[keyPath: storage]` reaches no function that the compiler cannot see into.

public import CRealmPlatform
public import RealmSession

/// Declares a stored property of a model.
///
/// ```swift
/// class Dog: Object {
///   @Persisted(primaryKey: true) var id: ObjectId
///   @Persisted(indexed: true) var name: String
///   @Persisted var age = 0
///   @Persisted var toys: List<Toy>
/// }
/// ```
///
/// Properties without an initial value get the default of their type: 0, `false`, an empty string,
/// the present date, a new `UUID` or `ObjectId`, an empty collection, nil for optionals.
@propertyWrapper
public struct Persisted<Value: _Persistable> {
  @usableFromInline var flags: PersistedFlags
  @usableFromInline var value: Value?

  @inlinable
  init(value: Value?, flags: PersistedFlags) {
    self.value = value
    self.flags = flags
  }

  /// Sets the value, and notes that it is none of the declaration.
  @inlinable @inline(__always)
  mutating func assign(_ newValue: Value) {
    value = newValue
    flags.insert(.assigned)
  }

  /// Declares a property with the default value of its type.
  @inlinable
  public init() { self.init(value: nil, flags: []) }

  /// Declares a property with an initial value.
  @inlinable
  public init(wrappedValue value: Value) { self.init(value: value, flags: []) }

  /// Use `@Persisted` in classes that inherit from `Object` or `EmbeddedObject`.
  @available(
    *, unavailable, message: "@Persisted can only be used as a property on a Realm object"
  )
  public var wrappedValue: Value {
    get { throwRealmException("@Persisted can only be used as a property on a Realm object") }
    set { throwRealmException("@Persisted can only be used as a property on a Realm object") }
  }

  /// Reads and writes the property of `object`.
  @inlinable
  public static subscript<EnclosingSelf: ObjectBase>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
  ) -> Value {
    @inline(__always) get {
      guard let hot = unsafe object._hot else {
        if let value = object[keyPath: storageKeyPath].value { return value }
        let value = Value._makeDefault()
        object[keyPath: storageKeyPath].value = value
        return value
      }
      let offset =
        unsafe withUnsafeMutablePointer(to: &object[keyPath: storageKeyPath]) {
          UInt(bitPattern: $0)
        }
        &- UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
      let state = unsafe hot.pointee.state
      if unsafe state.pointee.isolation != realm_thread_pointer()
        || state.pointee.generation != object._generation
        || realm_is_tracking(state.pointee.trackingPlace)
      {
        guard object._prepareToRead(offset) else {
          return _readWithoutRow(object, offset)
        }
      }
      return unsafe Value._load(object, hot.pointee.columnAtOffset[Int(bitPattern: offset &>> 3)])
    }
    @inline(__always) set {
      guard unsafe object._hot != nil else {
        object[keyPath: storageKeyPath].assign(newValue)
        return
      }
      let offset =
        unsafe withUnsafeMutablePointer(to: &object[keyPath: storageKeyPath]) {
          UInt(bitPattern: $0)
        }
        &- UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
      let slot = object._prepareToWrite(offset)
      if slot.isRefused { object._refusePrimaryKey(newValue) }
      Value._store(newValue, object, slot)
    }
  }
}

extension Persisted where Value.PersistedType: _Indexable {
  /// Declares a property that has a search index.
  @inlinable
  public init(indexed: Bool) { self.init(value: nil, flags: indexed ? .indexed : []) }

  /// Declares a property that has a search index, and an initial value.
  @inlinable
  public init(wrappedValue value: Value, indexed: Bool) {
    self.init(value: value, flags: indexed ? .indexed : [])
  }
}

/// The kinds of search index that a property can have.
public enum IndexType: Sendable {
  /// Indexes the whole value: comparisons, `in`, and the beginnings of strings are found without
  /// reading every object.
  case general
  /// Indexes the words of a string, for `text(matching:)` and `TEXT`.
  case fullText
}

extension Persisted where Value.PersistedType: _TextIndexable {
  /// Declares a property that has a search index of some kind.
  @inlinable
  public init(indexed: IndexType) {
    self.init(value: nil, flags: PersistedFlags(indexed))
  }

  /// Declares a property that has a search index of some kind, and an initial value.
  @inlinable
  public init(wrappedValue value: Value, indexed: IndexType) {
    self.init(value: value, flags: PersistedFlags(indexed))
  }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
  /// Declares the primary key: no two objects of the class have the same, and it never changes.
  @inlinable
  public init(primaryKey: Bool) { self.init(value: nil, flags: primaryKey ? .primaryKey : []) }

  /// Declares the primary key with an initial value.
  @inlinable
  public init(wrappedValue value: Value, primaryKey: Bool) {
    self.init(value: value, flags: primaryKey ? .primaryKey : [])
  }
}
