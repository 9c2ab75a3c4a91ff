// SPDX-License-Identifier: Apache-2.0

// The changes of an object as an asynchronous sequence.

import Foundation
import RealmSession
import RealmStorage

extension ThreadConfined where Self: ObjectBase {
  /// The changes of the object, for `for await`.
  ///
  /// ```swift
  /// for await change in todo.changes(keyPaths: ["name"]) {
  ///   if case .change(let todo, _) = change { show(todo.name) }
  /// }
  /// ```
  ///
  /// Elements come where the loop runs, which must be where the realm lives. While the loop is
  /// busy, changes are joined into one, so nothing accumulates. The sequence ends after `.deleted`
  /// and after an error, when the realm is invalidated, and when the task is cancelled.
  ///
  /// - Parameter keyPaths: The properties whose changes are wanted; nil or empty for all.
  public func changes(keyPaths: [String]? = nil) -> ObjectChangeSequence<Self> {
    ObjectChangeSequence(object: self, keyPaths: keyPaths)
  }

  /// The changes of the object, as `changes(keyPaths:)` returns them, with typed key paths.
  public func changes(keyPaths: [PartialKeyPath<Self>]) -> ObjectChangeSequence<Self> {
    changes(keyPaths: keyPaths.map { _name(for: $0) })
  }
}

/// The changes of an object; see `ThreadConfined.changes(keyPaths:)`.
public struct ObjectChangeSequence<ObjectType: ObjectBase>: AsyncSequence {
  /// The changes of the object since the preceding element.
  public typealias Element = ObjectChange<ObjectType>
  /// Never: errors are elements of the sequence.
  public typealias Failure = Never

  let object: ObjectType
  let keyPaths: [String]?

  /// Begins to observe the object. Traps where `observe` would.
  public func makeAsyncIterator() -> Iterator { Iterator(object, keyPaths) }

  /// Reads the changes of an object; the observation ends with it.
  public struct Iterator: AsyncIteratorProtocol {
    private let object: ObjectType
    private let info: ClassInfo
    private let subscription: ChangeSubscription
    private let path: String

    init(_ object: ObjectType, _ keyPaths: [String]?) {
      let core = object.requireManaged()
      let info = object._info ?? core.classes[type(of: object)]
      self.object = object
      self.info = info
      path = core.file.path
      subscription = unsafe ChangeSubscription(
        .object(ObjectLocator(table: info.tableKey, object: object._key)), keyPaths: keyPaths,
        of: core, valuesBefore: { object.valuesToReport($0, info) })
    }

    /// The next change; nil at the end. To be called where the realm lives.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ObjectChange<ObjectType>? {
      guard let (change, before) = await subscription.next(isolation: actor) else { return nil }
      return ObjectChange(change, path) {
        .change(object, object.propertyChanges($0, before, info))
      }
    }
  }
}
