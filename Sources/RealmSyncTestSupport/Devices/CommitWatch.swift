// SPDX-License-Identifier: Apache-2.0

// Stops an agent between its commits.

import RealmStorage

/// Runs a closure whenever a file has a new version, on the thread that committed it.
final class CommitWatch<Result>: @unchecked Sendable {
  // Sendable without a lock: the body runs on the thread of the agent whose call the owner awaits,
  // and the owner reads the result only after that call has returned.

  private let body: () throws -> Result?
  private var result: Result?
  private var error: (any Error)?
  private var isRunning = false
  private var listener: VersionListener?

  /// - Parameter body: Is called after each commit, those that it makes itself excepted, until it
  ///   returns something.
  init(_ body: @escaping () throws -> Result?) { self.body = body }

  func begin(_ file: DatabaseFile) throws {
    listener = try file.onNewVersion { [weak self] _ in self?.run() }
  }

  /// What the closure has returned.
  func end() throws -> Result? {
    listener?.cancel()
    listener = nil
    if let error { throw error }
    return result
  }

  private func run() {
    guard !isRunning, error == nil, result == nil else { return }
    isRunning = true
    defer { isRunning = false }
    do { result = try body() } catch { self.error = error }
  }
}
