// SPDX-License-Identifier: Apache-2.0

// `SectionedState`: sorted results and the present sections of their elements.
//
// Invariants:
// 1. Sections are computed when they are read, and cached until the data changes; then they are
//    made from the old ones and the changes, if all elements whose section may have changed are
//    known (`ResultsState.elementsChanged`).
// 2. The program's code that names sections is never called under a lock.
// 3. Sections of a frozen realm are used on many threads at once: `frozen` holds their cache, and
//    the other variables do not change.

import RealmQuery
import RealmSession
import RealmStorage
import Synchronization

/// Results in sections; shared by the copies of a `SectionedResults` and by its sections.
final class SectionedState<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
  /// The sections of one state of the results.
  final class Sections: @unchecked Sendable {
    // Sendable: nothing in it changes, but for what the contents of a frozen realm keep in atomics;
    // others stay where their realm lives.
    let layout: SectionLayout<Key>
    let contents: _CollectionContents
    /// The revision of the data; nil for sections that are never brought up to date.
    let moment: DataRevision?

    init(
      _ layout: SectionLayout<Key>, _ contents: _CollectionContents, _ moment: DataRevision? = nil
    ) {
      self.layout = layout
      self.contents = contents
      self.moment = moment
    }
  }

  let results: Results<Element>
  /// The section that an element belongs to.
  let keyOf: (Element) -> Key
  private var cached: Sections?
  private var cachedGeneration: UInt64 = 0
  /// The sections as last read outside of write transactions.
  private var settled: Sections?
  private let frozen = AtomicLazyReference<Sections>()

  init(_ results: Results<Element>, _ keyOf: @escaping (Element) -> Key) {
    if Key._shape.type == .object {
      throwRealmException("Links are not supported as section keys.")
    }
    self.results = results
    self.keyOf = keyOf
  }

  /// The sections as they are now.
  func sections() -> Sections {
    let core = results.state.core
    if core.isFrozen {
      assert(cached == nil && settled == nil, "`SectionedState` 3")
      let contents = results.state.contents()
      return frozen.load() ?? frozen.storeIfNil(sections(of: contents))
    }
    let contents = results.state.exchangeableContents()
    if let cached, cachedGeneration == core.dataGeneration { return cached }
    let sections = results.state.searching(
      try presentSections(of: contents),
      else: Sections(SectionLayout(), .empty(core, contents.info)))
    assert(
      core.hasMetDamage || sections.layout.count == contents.count,
      "`SectionedState` 1: each element has a section")
    cached = sections
    cachedGeneration = core.dataGeneration
    if !core.isInWrite { settled = sections }
    return sections
  }

  private func presentSections(of contents: _CollectionContents) throws(StorageError) -> Sections {
    let isFollowed = results.state.isOfTable && !results.isInvalidated
    let moment = isFollowed ? try results.state.core.revision() : nil
    var layout: SectionLayout<Key>?
    if moment != nil {
      if let cached { layout = try self.layout(of: contents, since: cached) }
      // Sections cached in a transaction that has ended are no base for an update.
      if layout == nil, let settled, settled !== cached {
        layout = try self.layout(of: contents, since: settled)
      }
    }
    return Sections(
      layout ?? SectionLayout(keys(of: contents, at: 0..<contents.count)), contents, moment)
  }

  private func sections(of contents: _CollectionContents) -> Sections {
    Sections(SectionLayout(keys(of: contents, at: 0..<contents.count)), contents)
  }

  /// The keys of some elements, by the program's code.
  private func keys(
    of contents: _CollectionContents, at positions: some Sequence<Int>
  ) -> some Sequence<Key> {
    positions.lazy.map { [keyOf] position in
      keyOf(contents.element(at: position, as: Element.self))
    }
  }

  /// The sections of contents, made from those of an earlier revision; nil if it is not known of
  /// all elements whether they are still in the same section.
  private func layout(
    of contents: _CollectionContents, since last: Sections
  ) throws(StorageError) -> SectionLayout<Key>? {
    guard let moment = last.moment, let old = last.contents.chunkedKeys,
      let new = contents.chunkedKeys,
      let changed = try results.state.elementsChanged(
        since: moment, in: new, byteLimit: 4096 + old.count / 16)
    else { return nil }
    let changes = ResultChanges(from: old, to: new)
    var positions = changes.insertions
    var removed = changes.deletions
    for position in changed {
      guard let index = changes.oldIndex(position) else { continue }
      positions.append(position)
      removed.append(index)
    }
    if positions.count > new.count / 2 + 16 { return nil }
    positions.sort()
    removed.sort()
    let keys = self.keys(of: contents, at: positions)
    return last.layout.replacing(
      removed: removed, with: zip(positions, keys).map { (position: $0, key: $1) })
  }

  /// The same sections in the frozen or live results that `definition` describes.
  static func local(_ definition: _ConfinedDefinition, in realm: Realm) -> SectionedState? {
    guard let keyOf = definition.context?.value as? (Element) -> Key,
      let results = Results<Element>._local(definition, in: realm)
    else { return nil }
    return SectionedState(results, keyOf)
  }

  /// The locator of the sections, with the program's code that names sections, which runs where
  /// they are used.
  var definition: _ConfinedDefinition {
    var definition = results._definition
    definition.context = UnsafeTransfer(keyOf)
    return definition
  }

  /// Calls `handle` first with the sections, and then with each change of them; nil represents the
  /// first call.
  func observe(
    _ core: RealmCore, _ keyPaths: [String]?,
    _ handle:
      @escaping (_ old: SectionLayout<Key>, _ new: SectionLayout<Key>, SectionChanges?)
      -> Void
  ) -> Observation {
    let follower = Follower()
    let present = { [self] in results.isInvalidated ? SectionLayout() : sections().layout }
    let observation = core.observe(
      results._definition.locator, keyPaths: keyPaths,
      Observation.Handler(skipped: { follower.layout = present() }) { [self] change, _ in
        results.state.willReport(change)
        let old = follower.layout
        let new = present()
        switch change {
        case .initial:
          follower.layout = new
          handle(old, new, nil)
        case .collection(let set), .collectionDeleted(let set):
          follower.layout = new
          handle(old, new, SectionChanges(from: old, to: new, set))
        case .failed, .object, .objectDeleted: break
        }
      })
    results.state.note(observation)
    return observation
  }

  /// The sections that an observer has seen last. Used where the realm lives only.
  private final class Follower {
    var layout = SectionLayout<Key>()
  }
}
