// SPDX-License-Identifier: Apache-2.0

// Sorted results and the sections that their elements make up at the moment.
//
// Invariants:
// 1. Sections are computed when asked for, and remembered until the data changes.
// 2. The program's code that names sections is never called under a lock.
// 3. Sections of a frozen realm are used on many threads at once: `frozen` holds what they
//    remember, and the other variables stay as they are.

import RealmQuery
import Synchronization

/// Results in sections; shared by the copies of a `SectionedResults` and by its sections.
final class SectionedState<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
  /// The sections of one state of the results.
  final class Sections: @unchecked Sendable {
    // Sendable: nothing in it changes, but for what the contents of a frozen realm keep in atomics;
    // others stay where their realm lives.
    let layout: SectionLayout<Key>
    let contents: _CollectionContents

    init(_ layout: SectionLayout<Key>, _ contents: _CollectionContents) {
      self.layout = layout
      self.contents = contents
    }
  }

  let results: Results<Element>
  /// The section that an element belongs to.
  let keyOf: (Element) -> Key
  private var cached: Sections?
  private var cachedGeneration: UInt64 = 0
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
    let contents = results.state.contents()
    let core = results.state.core
    if core.isFrozen {
      return frozen.load() ?? frozen.storeIfNil(sections(of: contents))
    }
    if let cached, cachedGeneration == core.dataGeneration { return cached }
    let sections = sections(of: contents)
    cached = sections
    cachedGeneration = core.dataGeneration
    return sections
  }

  private func sections(of contents: _CollectionContents) -> Sections {
    let keys = (0..<contents.count).lazy.map { [keyOf] position in
      keyOf(contents.element(at: position, as: Element.self))
    }
    return Sections(SectionLayout(keys), contents)
  }

  /// The same sections in the frozen or live results that `definition` describes.
  static func local(_ definition: _ConfinedDefinition, in realm: Realm) -> SectionedState? {
    guard let keyOf = definition.context?.value as? (Element) -> Key,
      let results = Results<Element>._local(definition, in: realm)
    else { return nil }
    return SectionedState(results, keyOf)
  }

  /// What the sections are, in terms of the file. Whoever takes them over runs the program's code
  /// that names sections where they are used.
  var definition: _ConfinedDefinition {
    var definition = results._definition
    definition.context = Passage(keyOf)
    return definition
  }

  /// Tells `handle` first of the sections, and then of what became of them; nil stands for the
  /// first call.
  func observe(
    _ core: RealmCore, _ keyPaths: [String]?,
    _ handle:
      @escaping (_ old: SectionLayout<Key>, _ new: SectionLayout<Key>, SectionChanges?)
      -> Void
  ) -> Observation {
    let follower = Follower()
    let observation = core.observe(
      results._definition.source, keyPaths: keyPaths,
      Observation.Handler { [self] change, _ in
        let old = follower.layout
        let new = results.isInvalidated ? SectionLayout() : sections().layout
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

  /// What an observer has seen. Used where the realm lives only.
  private final class Follower {
    var layout = SectionLayout<Key>()
  }
}
