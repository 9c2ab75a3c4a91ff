// SPDX-License-Identifier: Apache-2.0

// Reads of one version on any thread. The version is kept readable for the call only.

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
  /// - Parameters:
  ///   - configuration: The realm to read.
  ///   - body: Gets the realm, frozen.
  /// - Returns: What `body` returns.
  /// - Throws: `Realm.Error` if the file cannot be opened, and what `body` throws.
  public static func snapshot<Value: Sendable>(
    of configuration: Configuration = .defaultConfiguration,
    _ body: @Sendable (Realm) throws -> Value
  ) throws -> Value {
    try body(Realm(core: try RealmOpener(configuration).openFrozen()))
  }
}
