// SPDX-License-Identifier: Apache-2.0

// The elements of a managed collection at one point in time, as subscripts and iteration read them.
//
// Invariants:
// 1. Contents are valid while `core.dataGeneration` is the one they were made at; their owner makes
//    new ones after that. An iterator keeps its contents, which then are a copy: keys stay keys.
// 2. Contents of a frozen realm are read on many threads at once, and change nothing but atomics.

import RealmQuery
import RealmSession
import RealmStorage
import RealmTables
import Synchronization

/// The elements of a managed collection at one point in time.
public final class _CollectionContents {
  enum Form {
    /// All objects of a table, in the order of their keys.
    case table(Table)
    /// Objects by key.
    case keys([ObjectKey])
    /// Objects by key, as observers keep them.
    case chunkedKeys(ChunkedKeys)
    /// Values of a scalar type.
    case values([TableValue])
    /// The elements of a list, as they are stored.
    case list(ListView)
  }

  let core: RealmCore
  /// The positions at which the clusters of a table begin; built at the first access by position.
  private lazy var positions = ClusterPositions()
  /// The chunk of keys that was last accessed, and the position it begins at.
  private var lastChunk: [ObjectKey] = []
  private var lastChunkStart = 0
  /// The same for a frozen realm; complete when it is stored here.
  private let frozenPositions = AtomicLazyReference<ClusterPositions>()
  /// The class of the elements; nil if they are scalars.
  let info: ClassInfo?
  let form: Form
  let count: Int
  /// The location of the elements, if they are mixed values.
  private let place: NestedPlace?
  /// The steps to the elements that are collections, if `form` is values.
  private let steps: [Int: NestedStep]
  /// The class, the property and the object that have the collection; nil for results. Not the
  /// collection itself, which keeps its contents.
  private let source: ValueOwner?

  init(
    _ form: Form, _ core: RealmCore, _ info: ClassInfo?, at place: NestedPlace? = nil,
    steps: [Int: NestedStep] = [:], of collection: ManagedCollection? = nil
  ) throws(StorageError) {
    source = collection?.valueOwner
    self.form = form
    self.place = place
    self.steps = steps
    self.core = core
    self.info = info
    if case .values = form { assert(info == nil, "values are of no class") }
    count =
      switch form {
      case .table(let table): try table.objectCount()
      case .keys(let keys): keys.count
      case .chunkedKeys(let keys): keys.count
      case .values(let values): values.count
      case .list(let list): list.count
      }
  }

  /// The contents of what has no elements.
  static func empty(_ core: RealmCore, _ info: ClassInfo?) -> _CollectionContents {
    orTrap(try _CollectionContents(info == nil ? .values([]) : .keys([]), core, info))
  }

  /// Traps with the documented messages unless there is an element `index`.
  @inline(__always)
  func check(_ index: Int) {
    if UInt(bitPattern: index) >= UInt(bitPattern: count) { refuse(index) }
  }

  @inline(never)
  private func refuse(_ index: Int) -> Never {
    if index < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
    IndexText.refuse(index, below: count, of: text, count: count)
  }

  /// Element `index`; traps with the documented messages if there is none, unless the caller may
  /// have learned of it before damage was met.
  @inline(__always)
  func checkedElement<Element: RealmCollectionValue>(
    at index: Int, as type: Element.Type
  ) -> Element {
    if UInt(bitPattern: index) >= UInt(bitPattern: count) { return lostElement(at: index) }
    return element(at: index, as: type)
  }

  @inline(never)
  private func lostElement<Element: RealmCollectionValue>(at index: Int) -> Element {
    guard index >= 0, core.hasMetDamage else { refuse(index) }
    guard let info else { return Element._decode(_StoredValue(.null), _RealmContext(core)) }
    return Element._wrapsObject
      ? Element._decode(_StoredValue(.link(.null)), _RealmContext(core, info))
      : info.makeElement(.null)
  }

  /// The collection in messages.
  var text: String {
    guard let source else {
      return "Results\(info.map { "<\($0.schema.className)>" } ?? "")"
    }
    let (owner, property) = (unsafe source.owner, source.modelProperty)
    return "\(property.shape.collection.typeName) '\(owner.schema.className).\(property.name)'"
  }

  /// The value of `body`, which reads the elements, or a placeholder.
  @inline(__always)
  func searching<R>(
    _ body: @autoclosure () throws(StorageError) -> R, else placeholder: @autoclosure () -> R
  ) -> R {
    do throws(StorageError) { return try body() } catch {
      meet(error)
      return placeholder()
    }
  }

  /// Reports damage that a read of the elements found; traps if there is no handler.
  @inline(never)
  func meet(_ error: StorageError) {
    if let source {
      source.meet(error)
    } else if let info {
      info.meet(searching: error)
    } else {
      core.meet(error)
    }
  }

  /// The key of element `index`, which exists and is an object.
  func key(at index: Int) -> ObjectKey {
    switch form {
    case .table(let table): searching(try object(at: index, of: table).key, else: .null)
    case .keys(let keys): keys[index]
    case .chunkedKeys(let keys): key(at: index, of: keys)
    case .list(let list): searching(try list.key(at: index), else: .null)
    case .values: stop(.corrupted("values have no keys"))
    }
  }

  /// Element `index`, which exists, as a stored value.
  func value(at index: Int) -> TableValue {
    switch form {
    case .values(let values): values[index]
    case .list(let list): searching(try list.value(at: index), else: .null)
    case .table, .keys, .chunkedKeys: .link(key(at: index))
    }
  }

  /// The key at `index` of chunked keys. Consecutive positions are found in the chunk of the last
  /// access.
  private func key(at index: Int, of keys: ChunkedKeys) -> ObjectKey {
    let offset = index &- lastChunkStart
    if UInt(bitPattern: offset) < UInt(bitPattern: lastChunk.count) { return lastChunk[offset] }
    assert(!core.isFrozen, "`CollectionContents` 2: frozen contents have no chunks")
    (lastChunk, lastChunkStart) = keys.chunk(at: index)
    return lastChunk[index - lastChunkStart]
  }

  /// Element `index`, which exists.
  @inline(__always)
  func element<Element: RealmCollectionValue>(at index: Int, as type: Element.Type) -> Element {
    if let info {
      if Element._wrapsObject {
        return Element._decode(
          _StoredValue(.link(key(at: index))), _RealmContext(core, info, of: source))
      }
      if case .table(let table) = form { return tableElement(at: index, of: table, info) }
      let object = info.makeObject(key(at: index))
      if unsafe object._row == nil, core.checksLinks, info.lacks(object) {
        unsafe meet(info.missing(object._key))
      }
      return info.element(object)
    }
    if let place { return mixedElement(at: index, place) }
    return Element._decode(_StoredValue(value(at: index)), _RealmContext(core, of: source))
  }

  /// A mixed value; collections are live.
  private func mixedElement<Element: RealmCollectionValue>(
    at index: Int, _ place: NestedPlace
  ) -> Element {
    let value: TableValue
    let step: NestedStep?
    if case .list(let list) = form {
      let element = searching(
        try list.nestedElement(at: index), else: NestedElement(value: .null))
      (value, step) = (element.value, element.step)
    } else {
      (value, step) = (self.value(at: index), steps[index])
    }
    return Element._decode(
      _StoredValue(value), _RealmContext(core, at: step.map { place.element($0) }, of: source))
  }

  private func tableElement<Element>(at index: Int, of table: Table, _ info: ClassInfo) -> Element {
    let (key, row) = searching(try object(at: index, of: table), else: (.null, nil))
    // Rows move in a transaction, so the object is found by its key.
    return info.makeElement(key, core.isInWrite ? nil : row)
  }

  private func object(
    at index: Int, of table: Table
  ) throws(StorageError) -> (key: ObjectKey, row: Row?) {
    guard core.isFrozen else { return try positions.object(at: index, of: table) }
    // The first element alone does not pay for the list.
    if index == 0, let key = try table.key(at: 0) { return (key, nil) }
    if let positions = frozenPositions.load() { return try positions.object(at: index, of: table) }
    let loaded = try ClusterPositions(of: table)
    return try frozenPositions.storeIfNil(loaded).object(at: index, of: table)
  }

  /// The keys of all elements, which are objects.
  func keys() throws(StorageError) -> [ObjectKey] {
    switch form {
    case .keys(let keys): return keys
    case .chunkedKeys(let keys): return keys.array()
    case .list(let list): return try list.keys()
    case .values: return []
    case .table(let table):
      var keys: [ObjectKey] = []
      keys.reserveCapacity(count)
      var cursor = table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count { keys.append(cluster.key(at: index)) }
      }
      return keys
    }
  }

  /// All elements as stored values.
  func values() throws(StorageError) -> [TableValue] {
    switch form {
    case .values(let values): values
    case .list(let list): try list.values()
    case .keys, .chunkedKeys, .table: try keys().map { .link($0) }
    }
  }

  /// The same elements for a loop; a copy in a write transaction.
  func forIteration() -> _CollectionContents {
    guard core.isInWrite else { return self }
    return searching(try frozenForIteration(), else: .empty(core, info))
  }

  /// The same elements, independent of later changes of the collection.
  func frozenForIteration() throws(StorageError) -> _CollectionContents {
    switch form {
    case .keys, .chunkedKeys, .values: self
    case .table: try _CollectionContents(.keys(keys()), core, info)
    case .list(let list):
      if let place {
        try frozenForIteration(list, place)
      } else {
        try info == nil
          ? _CollectionContents(.values(values()), core, info)
          : _CollectionContents(.keys(keys()), core, info)
      }
    }
  }

  private func frozenForIteration(
    _ list: ListView, _ place: NestedPlace
  ) throws(StorageError) -> _CollectionContents {
    var values: [TableValue] = []
    var steps: [Int: NestedStep] = [:]
    for index in 0..<list.count {
      let element = try list.nestedElement(at: index)
      values.append(element.value)
      steps[index] = element.step
    }
    return try _CollectionContents(.values(values), core, nil, at: place, steps: steps)
  }
}

extension ClassInfo {
  /// A managed object as an element; `Element` is the class's type, or a superclass.
  @inline(__always)
  func makeElement<Element>(_ key: ObjectKey, _ row: Row? = nil) -> Element {
    element(makeObject(key, row))
  }

  /// A managed object of this class as an element.
  @inline(__always)
  func element<Element>(_ object: ObjectBase) -> Element {
    // Results and lists of objects are only made with the class of `Element`.
    unsafe unsafeBitCast(object, to: Element.self)
  }
}
