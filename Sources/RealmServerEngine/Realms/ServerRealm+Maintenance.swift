// SPDX-License-Identifier: Apache-2.0

// What is done for a realm now and then.

package import RealmSyncProtocol

extension ServerRealm {
  /// Makes a first version without changes if there is none: bootstraps have versions from 1 on.
  package func beginHistory() async throws(StoreError) {
    guard head.version == 0 else { return }
    _ = try await appendVersions(through: 1, after: head, privates: [])
  }

  /// Forgets what is kept for the next client and none has used since the last call.
  package func forgetUnused() {
    scratch?.forgetUnused()
    // `ServerRealm` 2: what is being appended belongs to the window.
    guard !isAppending, let window else { return }
    if !window.isUsed { self.window = nil }
    window.isUsed = false
  }

  /// Notes that a client is there, once a day: a client that only reads uploads nothing.
  package func noteSeen(_ ident: FileIdentifier) async throws(StoreError) {
    guard let known = try await store.file(ident), !known.isExpired,
      known.lastSeen.milliseconds + Self.dayMilliseconds <= now.milliseconds
    else { return }
    await beginAppending()
    defer { endAppending() }
    guard var file = try await store.file(ident), !file.isExpired else { return }
    file.lastSeen = max(file.lastSeen, now)
    let batch = Batch(files: [file])
    try await append { _ in batch }
  }

  /// A client's file, whose client is there.
  func seenFile(_ ident: FileIdentifier) async throws(StoreError) -> ClientFile {
    guard let file = try await store.file(ident) else { throw .unknownFile(ident) }
    try await noteSeen(ident)
    return file
  }

  private static let dayMilliseconds: UInt64 = 24 * 3600 * 1000
  /// The versions that are trimmed in one transaction.
  private static let trimCount: UInt64 = 10_000

  /// Expires clients that were away for too long, removes those that are expired for long, and
  /// trims the history that none needs.
  ///
  /// - Parameters:
  ///   - kept: The version whose later entries triggers need; nil if none needs any. No version is
  ///     made while it is asked.
  ///   - isPresent: Whether a client has a session now, and is not away.
  @discardableResult
  package func trim(
    offlineMillisecondsMax: UInt64 = Trimming.offlineMillisecondsMax,
    expiredMillisecondsMax: UInt64 = Trimming.expiredMillisecondsMax,
    kept: @Sendable () async throws(StoreError) -> UInt64? = { nil },
    isPresent: @Sendable (FileIdentifier) -> Bool = { _ in false }
  ) async throws(StoreError) -> Trimmed {
    var result = Trimmed()
    while true {
      await beginAppending()
      defer { endAppending() }
      let files = try await store.files()
      let expired = Trimming.expired(
        files, now: clock.now(), offlineMillisecondsMax: offlineMillisecondsMax
      ).filter { !isPresent($0.ident) }
      let gone = Set(expired.map(\.ident))
      let rest = files.filter { !gone.contains($0.ident) }
      let undated = Trimming.undated(rest, now: clock.now())
      let forgotten = Trimming.forgotten(
        rest, now: clock.now(), expiredMillisecondsMax: expiredMillisecondsMax)
      let horizon = Trimming.horizon(rest, head: head, keepingAfter: try await kept())
      guard !expired.isEmpty || !undated.isEmpty || !forgotten.isEmpty || horizon > head.base
      else { return result }
      let through = min(horizon, head.base + Self.trimCount)
      let batch = Batch(
        files: expired + undated, forgotten: forgotten,
        trimsThrough: through > head.base ? through : nil)
      // Entries are parsed again from the store when they are needed.
      window = nil
      let base = head.base
      try await append { _ in batch }
      result.expiredFiles += expired.count
      result.forgottenFiles += forgotten.count
      result.versions += head.base - base
      guard through < horizon else { return result }
    }
  }
}
