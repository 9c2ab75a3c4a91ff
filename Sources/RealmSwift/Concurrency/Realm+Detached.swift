// SPDX-License-Identifier: Apache-2.0

// Reads and writes from code that belongs to no actor, as in servers.

extension Realm {
  /// Runs `block` in a write transaction on a file, from any task.
  ///
  /// ```swift
  /// let id = try await Realm.write(to: configuration) { realm in
  ///   realm.create(Order.self, value: ["customer": name])._id
  /// }
  /// ```
  ///
  /// The block runs on a queue of the library, which may block; the threads that tasks share are
  /// free meanwhile. Blocks on one file run in the order in which they were requested. If `block`
  /// throws, its changes are undone. If the task is cancelled while it waits for its turn, the
  /// block is not called, and others keep their turns; afterwards cancellation has no effect.
  ///
  /// The realm and its objects must stay in the block, which the compiler enforces: results are
  /// `Sendable`, and captures are sent. New objects may be made outside and added there.
  ///
  /// The file is opened, and its schema brought up to date, unless the process has it open: keep a
  /// realm somewhere if you write often.
  ///
  /// - Parameters:
  ///   - configuration: The realm to write to.
  ///   - block: Gets the realm, in a write transaction on the newest version.
  /// - Returns: What `block` returns, after the data has reached the disk.
  /// - Throws: What `block` throws, `Realm.Error` if the file cannot be opened or written, and
  ///   `CancellationError`.
  @discardableResult
  public static func write<Result: Sendable>(
    to configuration: Configuration = .defaultConfiguration,
    _ block: sending @escaping (Realm) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    return try await DetachedWriter.of(configuration).write(configuration, block)
  }

  /// Reads the newest version of a file, from any task.
  ///
  /// ```swift
  /// let names = try await Realm.read(from: configuration) { realm in
  ///   Array(realm.objects(Customer.self).map(\.name))
  /// }
  /// ```
  ///
  /// The block runs on one of a few queues of the library, which may block; the threads that tasks
  /// share are free meanwhile. It reads one version, whatever others write, and waits for none.
  /// If the task is cancelled before the block is called, it is not called.
  ///
  /// The file is opened, and its schema brought up to date, unless the process has it open: keep a
  /// realm somewhere if you read often. `snapshot(of:_:)` does the same on the caller's thread.
  ///
  /// - Parameters:
  ///   - configuration: The realm to read.
  ///   - block: Gets the realm, frozen.
  /// - Returns: What `block` returns.
  /// - Throws: What `block` throws, `Realm.Error` if the file cannot be opened, and
  ///   `CancellationError`.
  public static func read<Result: Sendable>(
    from configuration: Configuration = .defaultConfiguration,
    _ block: sending @escaping (Realm) throws -> Result
  ) async throws -> Result {
    try await DetachedReaders.shared.run {
      try withNewestVersion(of: configuration, block)
    }
  }
}
