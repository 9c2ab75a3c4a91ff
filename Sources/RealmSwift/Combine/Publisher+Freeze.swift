// SPDX-License-Identifier: Apache-2.0

// Operators that freeze a publisher's values, so that they may be received on any thread.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher where Output: ThreadConfined {
  /// The values, frozen: they may be received on any thread.
  public func freeze() -> Publishers.Map<Self, Output> { map { $0.freeze() } }
}

extension Publisher {
  /// The changes of an object or a projection, frozen, with the objects among the properties'
  /// values.
  public func freeze<T: ThreadConfined>() -> Publishers.Map<Self, Output>
  where Output == ObjectChange<T> {
    map { change in
      guard case .change(let object, let properties) = change else { return change }
      return .change(object.freeze(), properties.map { $0.frozen() })
    }
  }

  /// The changes, with a frozen collection; one whose object was deleted stays as it is.
  public func freeze<T: RealmCollection>() -> Publishers.Map<Self, Output>
  where Output == RealmCollectionChange<T> {
    map { $0.frozen() }
  }

  /// The changes, with a frozen map; one whose object was deleted stays as it is.
  public func freeze<T: RealmKeyedCollection>() -> Publishers.Map<Self, Output>
  where Output == RealmMapChange<T> {
    map { $0.frozen() }
  }

  /// The changes, with frozen sections.
  public func freeze<T: RealmSectionedResult>() -> Publishers.Map<Self, Output>
  where Output == SectionedResultsChange<T> {
    map { $0.frozen() }
  }
}
#endif
