// SPDX-License-Identifier: Apache-2.0

// Integrating downloads (P3 B, P5 4).
//
// 1. Parsing comes before the right to write is asked for.
// 2. Each commit integrates whole changesets and moves the download cursor to the last of them, so
//    a stop between two commits leaves the state of a shorter message.
// 3. A turn ends only where later changesets of the group altered no own changeset, and never
//    between changesets of one server version.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Integrates messages of the steady state. Confined to the queue of its agent.
package struct DownloadIntegration {
  let file: DatabaseFile
  let schemas: SchemaCache
  private let limits: TurnLimits
  private let cache: OwnEntryCache
  private let onLoss: @Sendable (UploadLoss) -> Void
  private var transformer = Transformer()

  package init(
    _ file: DatabaseFile, schemas: SchemaCache = SchemaCache(), limits: TurnLimits = TurnLimits(),
    cache: OwnEntryCache = OwnEntryCache(),
    onLoss: @escaping @Sendable (UploadLoss) -> Void = { _ in }
  ) {
    self.onLoss = onLoss
    self.file = file
    self.schemas = schemas
    self.limits = limits
    self.cache = cache
  }

  /// Integrates a message, in one commit or several.
  ///
  /// After an error the file has the changesets of the earlier commits, with their cursors.
  ///
  /// - Parameter reports: The writes that the message undoes, for the program; they are in the
  ///   first commit.
  /// - Returns: The number of commits.
  @discardableResult
  package mutating func integrate(
    _ download: DownloadBatch, reports: [ErrorDocument] = []
  ) throws(IntegrationError) -> Int {
    let entries = try IncomingChangeset.parse(download.entries)
    var rest = entries[...]
    var commitCount = 0
    repeat {
      try commitNext(&rest, download, commitCount == 0 ? reports : [])
      commitCount += 1
    } while !rest.isEmpty
    return commitCount
  }

  /// Integrates changesets until the turn is over.
  private mutating func commitNext(
    _ rest: inout ArraySlice<IncomingChangeset>, _ download: DownloadBatch,
    _ reports: [ErrorDocument]
  ) throws(IntegrationError) {
    let transaction = try IntegrationError.storing(file.beginWrite())
    try transaction.orRollback { () throws(IntegrationError) in
      var work = try IntegrationError.storing(
        IntegrationTransaction(transaction, schemas: schemas, own: cache.take()))
      try work.check(download.cursors)
      try work.check(rest, download.cursors)
      var remaining = rest
      try apply(&remaining, &work)
      assert(rest.isEmpty || remaining.count < rest.count, "DownloadIntegration 2")
      assert(
        remaining.first.map { isBoundary(before: $0.changeset, work) } ?? true,
        "DownloadIntegration 3")
      let reached =
        remaining.isEmpty
        ? download.cursors : try IntegrationError.storing(work.cursors(within: download.cursors))
      try IntegrationError.storing(
        work.finish(reached, downloadableByteCount: max(0, download.remaining)))
      try IntegrationError.storing(KeptReports.store(reports, in: work.group))
      try IntegrationError.storing(work.group.commit())
      cache.keep(work.own)
      if let loss = work.loss { onLoss(loss) }
      rest = remaining
    }
  }

  private mutating func apply(
    _ rest: inout ArraySlice<IncomingChangeset>, _ work: inout IntegrationTransaction
  ) throws(IntegrationError) {
    let start = ContinuousClock.now
    var byteCount = 0
    while let count = nextGroup(rest) {
      let group = Array(rest.prefix(count))
      if isOver(byteCount, start), isBoundary(before: group[0].changeset, work) { return }
      var changesets = group.map(\.changeset)
      let isTouched = try work.merge(&changesets, &transformer)
      for (entry, changeset) in zip(group, changesets) {
        if !isTouched, isOver(byteCount, start), isBoundary(before: changeset, work) { return }
        try work.apply(changeset, originalByteCount: entry.originalByteCount)
        byteCount += entry.byteCount + 1
        rest.removeFirst()
      }
    }
  }

  /// The number of changesets to merge next: those with the base of the first, up to a size.
  private func nextGroup(_ rest: ArraySlice<IncomingChangeset>) -> Int? {
    guard let first = rest.first else { return nil }
    var byteCount = 0
    let end = rest.dropFirst().firstIndex { entry in
      byteCount += entry.byteCount
      return entry.changeset.origin.remoteVersion != first.changeset.origin.remoteVersion
        || byteCount > limits.groupByteCount
    }
    return (end ?? rest.endIndex) - rest.startIndex
  }

  /// Whether a message could have ended before a changeset.
  private func isBoundary(before next: Changeset, _ work: IntegrationTransaction) -> Bool {
    next.origin.version != work.lastServerVersion
  }

  private func isOver(_ byteCount: Int, _ start: ContinuousClock.Instant) -> Bool {
    limits.isOver(after: byteCount, since: start, hasWaiters: file.writers.waiterCount > 0)
  }
}

/// The limits of an integration's turn: it then commits and waits for the next one.
package struct TurnLimits: Hashable, Sendable {
  /// Bytes of changesets after which a waiting writer of this process goes first.
  package var byteCount = 100 << 10
  /// Time after which a waiting writer of this process goes first. The commit and its syncs follow:
  /// with 5 ms a local writer waits 10 ms (p99) during steady integration.
  package var contended = Duration.milliseconds(5)
  /// Time after which the turn ends in any case: writers of other processes cannot be seen.
  package var uncontended = Duration.milliseconds(100)
  /// The most bytes of changesets in one merge, beyond the first changeset. If a group alters an
  /// own changeset it is applied in one turn, so a long one would keep writers waiting.
  package var groupByteCount = 64 << 10

  package init() {}

  /// Whether a turn ends.
  func isOver(
    after byteCount: Int, since start: ContinuousClock.Instant, hasWaiters: Bool
  ) -> Bool {
    if byteCount == 0 { return false }
    let elapsed = ContinuousClock.now - start
    if elapsed >= uncontended { return true }
    return hasWaiters && (byteCount >= self.byteCount || elapsed >= contended)
  }
}
