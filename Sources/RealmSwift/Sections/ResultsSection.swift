// SPDX-License-Identifier: Apache-2.0

// `ResultsSection`: one section of sorted results, found by its key.

import RealmSession

/// The elements of results that have one key; it shows the present state, and is empty when no
/// element has the key any more.
public struct ResultsSection<
  Key: _Persistable & Hashable, SectionElement: RealmCollectionValue
>: Identifiable {
  let state: SectionedState<Key, SectionElement>
  /// The key that the elements share.
  public let key: Key

  init(_ state: SectionedState<Key, SectionElement>, _ key: Key) {
    self.state = state
    self.key = key
  }

  /// The key.
  public var id: Key { key }

  /// The number of elements.
  public var count: Int {
    let layout = state.sections().layout
    return layout.indexByKey[key].map { layout.counts[$0] } ?? 0
  }

  /// The element at `position`.
  public subscript(position: Int) -> SectionElement {
    let sections = state.sections()
    let section = sections.layout.indexByKey[key]
    checkPosition(
      position, below: section.map { sections.layout.counts[$0] } ?? 0,
      of: "\(Self.self)")
    return sections.contents.element(
      at: sections.layout.position(of: position, in: section ?? 0), as: SectionElement.self)
  }

  /// Iterates over the elements; in a write transaction, over those present when it begins.
  public func makeIterator() -> SectionIterator<SectionElement> {
    let sections = state.sections()
    let section = sections.layout.indexByKey[key]
    return SectionIterator(
      sections.contents, section.map { sections.layout.positions(in: $0) } ?? [])
  }
}

extension ResultsSection: RealmSectionedResult {
  /// The type of the elements.
  public typealias Element = SectionElement
  /// A slice of the elements.
  public typealias SubSequence = Slice<ResultsSection>
  /// The positions of the elements.
  public typealias Indices = Range<Int>

  /// The position of the first element: 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { count }

  /// The realm of the elements.
  public var realm: Realm? { state.results.realm }

  /// Whether the realm was invalidated.
  public var isInvalidated: Bool { state.results.isInvalidated }

  /// Whether both are the same section of the same results.
  public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
    left.state === right.state && left.key == right.key
  }

  /// The class, the key, and the elements, at most 100 of them.
  public var description: String {
    var lines = prefix(100).enumerated().map { position, element in
      "\t[\(position)] " + "\(element)".replacing("\n", with: "\n\t")
    }
    if count > 100 { lines.append("\t... \(count - 100) objects skipped.") }
    return "ResultsSection<\(Key.self), \(SectionElement.self)> \(addressText(state)) \(key) (\n"
      + lines.joined(separator: ",\n") + "\n)"
  }
}

// MARK: - Freezing and handing over

extension ResultsSection {
  /// The context that is handed over: the key, and the context of the sections.
  private struct Context {
    let key: Key
    let keyOf: Any
  }

  /// Whether the section is frozen: it shows one version permanently and may be read on any thread.
  public var isFrozen: Bool { state.results.isFrozen }

  /// The section as it is now, immutable, and readable on any thread.
  public func freeze() -> ResultsSection { frozen(from: state.results.state.core) }

  /// The live section that a frozen one is a copy of, in the realm of the calling thread, queue or
  /// actor.
  public func thaw() -> ResultsSection? { thawed(from: state.results.state.core) }

  /// The locator of the section: its identity, independent of a realm.
  public var _definition: _ConfinedDefinition {
    var definition = state.definition
    definition.context = UnsafeTransfer(Context(key: key, keyOf: state.keyOf))
    return definition
  }

  /// The section that `definition` describes, in `realm`; nil if it cannot exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    guard let context = definition.context?.value as? Context else { return nil }
    var definition = definition
    definition.context = UnsafeTransfer(context.keyOf)
    return SectionedState<Key, SectionElement>.local(definition, in: realm).map {
      Self($0, context.key)
    }
  }
}

/// Iterates over the elements of a section.
public struct SectionIterator<SectionElement: RealmCollectionValue>: IteratorProtocol {
  private let contents: _CollectionContents
  /// The remaining positions, in runs, except those of `run`.
  private var positions: ArraySlice<Range<Int>>
  private var run = 0..<0

  init(_ contents: _CollectionContents, _ positions: [Range<Int>]) {
    // Later changes of the results do not affect the loop.
    self.contents = contents.forIteration()
    self.positions = positions[...]
  }

  /// The next element, or nil at the end.
  public mutating func next() -> SectionElement? {
    if run.isEmpty {
      guard let next = positions.popFirst() else { return nil }
      run = next
    }
    contents.core.checkIsolation()
    defer { run = run.lowerBound + 1..<run.upperBound }
    return contents.element(at: run.lowerBound, as: SectionElement.self)
  }
}
