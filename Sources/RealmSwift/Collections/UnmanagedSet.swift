// SPDX-License-Identifier: Apache-2.0

// The elements of a set that belongs to no realm.
//
// Invariants:
// 1. `positions` has a member for each of `elements`, under the hash that the element had when it
//    was noted, unless `hasEqualElements`. An object may get another hash later: when it becomes
//    managed.
// 2. `loose` is the number of members that were unmanaged objects when they were noted. Only these
//    are noted again, at most once for each state of a realm, when a managed object is not found.

import RealmSession

/// Distinct elements. Inserting, removing and finding one costs what it costs in a `Set`; removing
/// one moves the last to its position.
struct UnmanagedSet<Element: RealmCollectionValue>: Equatable {
  /// An element under the hash that it had when it was noted.
  private struct Member: Hashable {
    let element: Element
    let hash: Int

    init(_ element: Element) { self.init(element, hash: element.hashValue) }

    init(_ element: Element, hash: Int) {
      self.element = element
      self.hash = hash
    }

    static func == (left: Member, right: Member) -> Bool {
      left.hash == right.hash && left.element == right.element
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  }

  private(set) var elements: [Element] = []
  /// By position, the hash under which the element was noted.
  private var hashes: [Int] = []
  private var positions: [Member: Int] = [:]
  private var loose = 0
  /// Whether objects that became managed equal each other now, so that one of them has no position.
  private var hasEqualElements = false
  /// The state of a realm in which the members were last noted again.
  private var noted: (core: ObjectIdentifier, generation: UInt64)?

  mutating func contains(_ element: Element) -> Bool { position(of: element) != nil }

  mutating func insert(_ element: Element) {
    if position(of: element) == nil { note(element) }
    assert(areNoted, "`UnmanagedSet` 1")
  }

  mutating func remove(_ element: Element) {
    guard let position = position(of: element) else { return }
    let last = elements.count - 1
    let (member, lastMember) = (member(at: position), self.member(at: last))
    if positions[member] == position { positions[member] = nil }
    if position < last {
      if positions[lastMember] == last { positions[lastMember] = position }
      elements.swapAt(position, last)
      hashes.swapAt(position, last)
    }
    elements.removeLast()
    hashes.removeLast()
    assert(areNoted, "`UnmanagedSet` 1")
  }

  /// Whether each element has its hash, and its position unless it equals another one.
  private var areNoted: Bool {
    hashes.count == elements.count && (hasEqualElements || positions.count == elements.count)
  }

  private func member(at position: Int) -> Member {
    Member(elements[position], hash: hashes[position])
  }

  private mutating func note(_ element: Element) {
    let member = Member(element)
    positions[member] = elements.count
    elements.append(element)
    hashes.append(member.hash)
    if let object = UnmanagedSet.object(element), unsafe object._hot == nil { loose += 1 }
  }

  private mutating func position(of element: Element) -> Int? {
    if let position = positions[Member(element)] { return position }
    guard let object = UnmanagedSet.object(element), let info = object._info else { return nil }
    if loose > 0 {
      let state = unsafe (ObjectIdentifier(info.core), info.core.dataGeneration)
      if noted.map({ $0 == state }) != true {
        noteAgain()
        noted = state
        if let position = positions[Member(element)] { return position }
      }
    }
    // A deleted object has lost the hash of its row.
    return object.isInvalidated || hasEqualElements ? elements.firstIndex(of: element) : nil
  }

  /// Notes all members under their present hashes.
  private mutating func noteAgain() {
    let before = elements
    (elements, hashes, positions, loose) = ([], [], [:], 0)
    hasEqualElements = false
    for element in before {
      let present = positions[Member(element)]
      note(element)
      if let present {
        positions[Member(element)] = present
        hasEqualElements = true
      }
    }
    assert(elements.count == before.count && areNoted, "`UnmanagedSet` 1: all are noted again")
  }

  /// The object that an element is, or that it has inside.
  private static func object(_ element: Element) -> ObjectBase? {
    if Element.self is ObjectBase.Type { return element as? ObjectBase }
    guard Element.self == AnyRealmValue.self, let mixed = element as? AnyRealmValue,
      case .object(let object) = mixed
    else { return nil }
    return object
  }

  static func == (left: UnmanagedSet, right: UnmanagedSet) -> Bool {
    var right = right
    return left.elements.count == right.elements.count
      && left.elements.allSatisfy { right.contains($0) }
  }
}
