// SPDX-License-Identifier: Apache-2.0

// Reads of one version on any thread. The version is kept readable for the call only.

import RealmSession
import RealmStorage

extension Realm {
  /// Reads the version that the realm shows: it stays the same throughout `body`, whatever others
  /// write meanwhile, and is released at the end.
  ///
  /// ```swift
  /// let summary = realm.snapshot { realm in
  ///   let open = realm.objects(Todo.self).where { !$0.isDone }
  ///   return Summary(count: open.count, next: open.first?.name)
  /// }
  /// ```
  ///
  /// Only what is `Sendable` gets in and out, so objects of the version cannot outlive the call:
  /// return values, structs or keys. In a write transaction the version is the one before it.
  ///
  /// A read of damaged bytes traps, as elsewhere. Where it should throw, use
  /// ``Realm/snapshot(of:_:)``.
  ///
  /// - Parameter body: Gets the realm, frozen.
  /// - Returns: What `body` returns.
  public func snapshot<Value: Sendable>(
    _ body: @Sendable (Realm) throws -> Value
  ) rethrows -> Value {
    try body(freeze())
  }

  /// Reads the newest version of a file, on any thread, in any task, without a realm of its own: it
  /// stays the same throughout `body` and is released at the end.
  ///
  /// ```swift
  /// let names = try Realm.snapshot { realm in
  ///   realm.objects(Todo.self).map(\.name) as [String]
  /// }
  /// ```
  ///
  /// Only what is `Sendable` gets in and out, so objects of the version cannot outlive the call.
  /// The file is opened, and its schema brought up to date, unless the process has it open: keep a
  /// realm somewhere if you do this often. Reading never waits for writers.
  ///
  /// Damage of the file is thrown, where a getter, a loop or a query finds it. As none of them can
  /// throw by itself, it returns a placeholder: the default of the property's type, nil, an object
  /// without values, an empty collection; a loop ends. Then `body` goes on, and when it returns or
  /// throws, the call throws the first damage that was met, with the class, the key and the
  /// property where they are known. What `body` returned or threw is dropped: it may be made of
  /// placeholders. So `body` should have no effects that it cannot take back.
  ///
  /// This holds for all that `body` reads from the realm that it gets, on the thread that runs it,
  /// and in tasks that it starts, until it returns. Threads that it starts by other means, such as
  /// `DispatchQueue.concurrentPerform`, and other realms trap as they do elsewhere.
  ///
  /// - Parameters:
  ///   - configuration: The realm to read.
  ///   - body: Gets the realm, frozen.
  /// - Returns: What `body` returns.
  /// - Throws: `Realm.Error` if the file cannot be opened or is damaged, and what `body` throws.
  public static func snapshot<Value: Sendable>(
    of configuration: Configuration = .defaultConfiguration,
    _ body: @Sendable (Realm) throws -> Value
  ) throws -> Value {
    try withNewestVersion(of: configuration, body)
  }

  /// Calls `body` with the newest version, frozen, and throws the damage that its reads met.
  static func withNewestVersion<Value>(
    of configuration: Configuration, _ body: (Realm) throws -> Value
  ) throws -> Value {
    let core = try RealmOpener(configuration).openFrozen()
    let (result, damage) = DamageRecord.collect(in: core) { try body(Realm(core: core)) }
    if let damage { throw Realm.Error(damage, path: core.file.path) }
    return try result.get()
  }
}
