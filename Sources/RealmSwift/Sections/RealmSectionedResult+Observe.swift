// SPDX-License-Identifier: Apache-2.0

// Observation of sections by callbacks: where the realm lives, on a queue or on an actor.

public import Dispatch
import RealmSession

extension SectionedResults {
  /// Calls `block` with the sections as they are, and again after each write transaction that
  /// changed them or objects in them.
  ///
  /// `block` is called where the realm lives; never before this call returns.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are wanted; nil or empty for all.
  ///   - queue: A serial queue to be called on instead, with the sections as they are known there.
  ///   - block: Gets the sections as they are, or a change.
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
  ) -> NotificationToken {
    observed(on: queue) { $0.observeHere($1, keyPaths, block) }
  }

  /// Calls `block` as `observe(keyPaths:on:_:)` does, with typed key paths.
  public func observe(
    keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
  ) -> NotificationToken where SectionElement: ObjectBase {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Calls `block` on an actor, with the sections as they are there, and again after each write
  /// transaction that changed them.
  ///
  /// - Returns: A token, after the observer was registered. It must be kept as long as `block` is
  ///   to be called.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, SectionedResultsChange<SectionedResults>) -> Void
  ) async -> NotificationToken {
    await observed(on: actor) { sections, core, actor in
      sections.observeHere(core, keyPaths, actor.calling(block))
    }
  }

  /// Calls `block` on an actor as `observe(keyPaths:on:_:)` does, with typed key paths.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<SectionElement>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, SectionedResultsChange<SectionedResults>) -> Void
  ) async -> NotificationToken where SectionElement: ObjectBase {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }

  private func observeHere(
    _ core: RealmCore, _ keyPaths: [String]?,
    _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
  ) -> Observation {
    state.observe(core, keyPaths) { _, _, changes in
      if changes?.isEmpty != true { block(SectionedResultsChange(self, changes)) }
    }
  }
}

extension ResultsSection {
  /// Calls `block` with the section as it is, and again after each write transaction that changed
  /// it or objects in it. Index paths have the position of the section among all.
  ///
  /// `block` is called where the realm lives; never before this call returns.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are wanted; nil or empty for all.
  ///   - queue: A serial queue to be called on instead, with the section as it is known there.
  ///   - block: Gets the section as it is, or a change.
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
  ) -> NotificationToken {
    observed(on: queue) { $0.observeHere($1, keyPaths, block) }
  }

  /// Calls `block` as `observe(keyPaths:on:_:)` does, with typed key paths.
  public func observe(
    keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
  ) -> NotificationToken where SectionElement: ObjectBase {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Calls `block` on an actor, with the section as it is there, and again after each write
  /// transaction that changed it.
  ///
  /// - Returns: A token, after the observer was registered. It must be kept as long as `block` is
  ///   to be called.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, SectionedResultsChange<ResultsSection>) -> Void
  ) async -> NotificationToken {
    await observed(on: actor) { section, core, actor in
      section.observeHere(core, keyPaths, actor.calling(block))
    }
  }

  /// Calls `block` on an actor as `observe(keyPaths:on:_:)` does, with typed key paths.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<SectionElement>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, SectionedResultsChange<ResultsSection>) -> Void
  ) async -> NotificationToken where SectionElement: ObjectBase {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }

  private func observeHere(
    _ core: RealmCore, _ keyPaths: [String]?,
    _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
  ) -> Observation {
    state.observe(core, keyPaths) { old, new, changes in
      let own = changes?.ofSection(old: old.indexByKey[key], new: new.indexByKey[key])
      if own?.isEmpty != true { block(SectionedResultsChange(self, own)) }
    }
  }
}
