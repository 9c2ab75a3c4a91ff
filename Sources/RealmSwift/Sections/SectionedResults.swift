// SPDX-License-Identifier: Apache-2.0

// `SectionedResults`: sorted results, divided into sections that are kept up to date.

public import Dispatch
public import Foundation
import RealmSession

/// The protocol of sectioned results and of their sections.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined,
  CustomStringConvertible
where Index == Int {
  /// The type of the sections' keys.
  associatedtype Key: _Persistable & Hashable
  /// The type of the elements of sections.
  associatedtype SectionElement: RealmCollectionValue

  /// Calls `block` with the sections as they are, and again after each write transaction that
  /// changed them or objects in them.
  func observe(
    keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken
}

/// Sorted results, divided into sections by a key that each element has. Like the results, the
/// sections always show the present state.
///
/// ```swift
/// let byInitial = realm.objects(Person.self).sectioned(
///   by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
/// for section in byInitial { print(section.key, section.count) }
/// ```
///
/// Sections are in the order in which their keys first occur. The code that names the section of an
/// element is called for all elements when the sections are first read, and again for those that
/// were inserted or changed, by themselves or in what they link to; it may be called for others. So
/// its result must depend on the element and what its properties lead to only.
public struct SectionedResults<
  Key: _Persistable & Hashable, SectionElement: RealmCollectionValue
> {
  let state: SectionedState<Key, SectionElement>

  init(_ state: SectionedState<Key, SectionElement>) { self.state = state }

  /// The number of sections.
  public var count: Int { state.sections().layout.keys.count }

  /// The keys of the sections in their order.
  public var allKeys: [Key] { state.sections().layout.keys }

  /// The section at `position`.
  public subscript(position: Int) -> ResultsSection<Key, SectionElement> {
    let keys = state.sections().layout.keys
    checkPosition(position, below: keys.count, of: "\(Self.self)")
    return ResultsSection(state, keys[position])
  }

  /// The element at an index path: the position of a section, and that of an element in it.
  public subscript(indexPath: IndexPath) -> SectionElement { self[indexPath[0]][indexPath[1]] }

  /// Iterates over the sections.
  public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
    SectionedResultsIterator(self)
  }
}

extension SectionedResults: RealmSectionedResult {
  /// The type of the sections.
  public typealias Element = ResultsSection<Key, SectionElement>
  /// A slice of the sections.
  public typealias SubSequence = Slice<SectionedResults>
  /// The positions of the sections.
  public typealias Indices = Range<Int>

  /// The position of the first section: 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { count }

  /// The realm of the elements.
  public var realm: Realm? { state.results.realm }

  /// Whether the realm was invalidated.
  public var isInvalidated: Bool { state.results.isInvalidated }

  /// Whether both are sections of the same results, or copies of them.
  public static func == (left: SectionedResults, right: SectionedResults) -> Bool {
    left.state === right.state
  }

  /// The type, the memory address, and the sections with their elements.
  public var description: String {
    "SectionedResults<\(Key.self), \(SectionElement.self)> \(addressText(state)) (\n"
      + map { "\t" + $0.description.replacing("\n", with: "\n\t") }.joined(separator: ",\n") + "\n)"
  }
}

// MARK: - Freezing and handing over

extension SectionedResults {
  /// Whether the sections are frozen: they show one version permanently and may be read on any
  /// thread.
  public var isFrozen: Bool { state.results.isFrozen }

  /// The sections as they are now, immutable, and readable on any thread. The code that names the
  /// sections runs where they are read first.
  public func freeze() -> SectionedResults { frozen(from: state.results.state.core) }

  /// The live sections that frozen ones are a copy of, in the realm of the calling thread, queue or
  /// actor.
  public func thaw() -> SectionedResults? { thawed(from: state.results.state.core) }

  /// The locator of the sections: their identity, independent of a realm.
  public var _definition: _ConfinedDefinition { state.definition }

  /// The sections that `definition` describes, in `realm`; nil if they cannot exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    SectionedState<Key, SectionElement>.local(definition, in: realm).map { Self($0) }
  }
}

/// Iterates over sections.
public struct SectionedResultsIterator<
  Key: _Persistable & Hashable, SectionElement: RealmCollectionValue
>: IteratorProtocol {
  private let sections: SectionedResults<Key, SectionElement>
  private let keys: [Key]
  private var position = 0

  init(_ sections: SectionedResults<Key, SectionElement>) {
    self.sections = sections
    keys = sections.allKeys
  }

  /// The next section, or nil at the end.
  public mutating func next() -> ResultsSection<Key, SectionElement>? {
    guard position < keys.count else { return nil }
    defer { position += 1 }
    return ResultsSection(sections.state, keys[position])
  }
}

/// Traps with the documented messages unless `position` is below `count`, the number of the
/// elements of what is called `name`.
func checkPosition(_ position: Int, below count: Int, of name: @autoclosure () -> String) {
  if position < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
  if position >= count { IndexText.refuse(position, below: count, of: name(), count: count) }
}
