// SPDX-License-Identifier: Apache-2.0

// Columns of results: some properties of all objects, read without making the objects.

import RealmSession

/// The values of some properties of the objects in results, as tuples in the order of the results.
///
/// The method `values` of ``Results`` makes them. An iteration reads them as it goes, straight from
/// the columns.
public struct PropertyValues<each Value: _Persistable>: Sequence {
  private let state: ResultsState
  private let slots: (repeat PropertySlot<each Value>)
  private let properties: [Int]

  fileprivate init(_ state: ResultsState, _ slots: repeat PropertySlot<each Value>) {
    self.state = state
    self.slots = (repeat each slots)
    var properties: [Int] = []
    for slot in repeat each slots { properties.append(Int(slot.column.property)) }
    self.properties = properties
  }

  /// Iterates over the values of the present objects.
  public func makeIterator() -> Iterator {
    let contents = state.contents()
    guard let info = contents.info else { return Iterator(nil, (repeat each slots)) }
    let walk = contents.searching(try PropertyWalk(contents, info, properties), else: nil)
    return Iterator(walk, (repeat each slots))
  }

  /// The number of objects.
  public var underestimatedCount: Int { state.contents().count }

  /// Reads the values of one object after the other.
  @safe
  public struct Iterator: IteratorProtocol {
    /// The walk over the objects; unmanaged, so that calling it costs no reference counting.
    @usableFromInline let walk: Unmanaged<PropertyWalk>?
    /// Keeps the walk alive.
    private let walkOwner: PropertyWalk?
    @usableFromInline let slots: (repeat PropertySlot<each Value>)

    fileprivate init(_ walk: PropertyWalk?, _ slots: (repeat PropertySlot<each Value>)) {
      walkOwner = walk
      unsafe self.walk = unsafe walk.map(Unmanaged.passUnretained)
      self.slots = (repeat each slots)
    }

    /// The values of the next object; nil after the last one.
    ///
    /// Traps on a thread that is not the realm's, and, in a write transaction, for an object that
    /// was deleted since the iteration began.
    @inlinable
    public mutating func next() -> (repeat each Value)? {
      guard let walk = unsafe walk else { return nil }
      return unsafe walk._withUnsafeGuaranteedRef { walk -> (repeat each Value)? in
        guard walk.advance() else { return nil }
        if unsafe walk.end != 0 {
          return
            (repeat (each Value)._load(
              walk.leaf((each slots).place), walk.object, (each slots).column))
        }
        return (repeat (each Value)._load(walk.object, (each slots).column))
      }
    }
  }
}

/// The column of a property of some type.
@frozen @usableFromInline
struct PropertySlot<Value: _Persistable> {
  @usableFromInline let column: _ColumnSlot
  /// Its position among the properties that are read.
  @usableFromInline let place: Int
}

extension Results where Element: ObjectBase {
  /// The values of some properties of the objects, without the objects: a tuple for each, or the
  /// value itself for one property.
  ///
  /// ```swift
  /// for (name, priority) in realm.objects(Todo.self).values(\.name, \.priority) {
  ///   print(name, priority)
  /// }
  /// let sum = open.values(\.estimate).reduce(0, +)
  /// ```
  /// The values are read when an iteration comes to them, from the columns that it needs; no
  /// objects are made. As the results are live, so is the sequence: each iteration begins with the
  /// present objects. It reads all of them in the version that it began with, also if the realm
  /// moves on meanwhile; in a write transaction it reads each as it is at that moment. The sequence
  /// is confined as the results are, and may be used on any thread if they are frozen.
  ///
  /// A key path names a stored property with one value: a scalar, an optional, an enum, a link. One
  /// that leads through a link, or to a collection, traps.
  ///
  /// Of more than three properties, keep the sequence in a constant before you pass a closure to
  /// one of its methods: the compiler finds no types otherwise.
  ///
  /// - Complexity: O(1); an iteration takes O(1) for each object and property.
  public func values<each Value: _Persistable>(
    _ keyPaths: repeat KeyPath<Element, each Value>
  ) -> PropertyValues<repeat each Value> {
    var count = 0
    return PropertyValues(state, repeat slot(of: each keyPaths, &count))
  }

  /// The values of one property of the objects, without the objects.
  ///
  /// As the method for any number of properties. The compiler finds out more easily what closures
  /// take that are passed to methods of its result.
  public func values<Value: _Persistable>(
    _ keyPath: KeyPath<Element, Value>
  ) -> PropertyValues<Value> {
    var count = 0
    return PropertyValues(state, slot(of: keyPath, &count))
  }

  /// The values of two properties of the objects, without the objects.
  ///
  /// As the method for any number of properties. The compiler finds out more easily what closures
  /// take that are passed to methods of its result.
  public func values<First: _Persistable, Second: _Persistable>(
    _ first: KeyPath<Element, First>, _ second: KeyPath<Element, Second>
  ) -> PropertyValues<First, Second> {
    var count = 0
    return PropertyValues(state, slot(of: first, &count), slot(of: second, &count))
  }

  /// The values of three properties of the objects, without the objects.
  ///
  /// As the method for any number of properties. The compiler finds out more easily what closures
  /// take that are passed to methods of its result.
  public func values<First: _Persistable, Second: _Persistable, Third: _Persistable>(
    _ first: KeyPath<Element, First>, _ second: KeyPath<Element, Second>,
    _ third: KeyPath<Element, Third>
  ) -> PropertyValues<First, Second, Third> {
    var count = 0
    return PropertyValues(
      state, slot(of: first, &count), slot(of: second, &count), slot(of: third, &count))
  }

  /// - Parameter count: The number of slots so far, which this one is added to.
  private func slot<Value: _Persistable>(
    of keyPath: KeyPath<Element, Value>, _ count: inout Int
  ) -> PropertySlot<Value> {
    defer { count += 1 }
    // Results without a class have no objects to read.
    guard let info = state.info else { return PropertySlot(column: .refused, place: count) }
    let name = _name(for: keyPath)
    guard let property = info.schema.property(named: name),
      property.shape.collection == .none, property.shape.type != .linkingObjects,
      property.wrapperType.valueType == Value.self
    else {
      throwRealmException(
        "values(_:) takes properties of '\(info.schema.className)' that have one value, and "
          + "'\(name)' is none.")
    }
    return PropertySlot(column: info.slot(property), place: count)
  }
}
