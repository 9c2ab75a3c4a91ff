// SPDX-License-Identifier: Apache-2.0

// Threads for the queries of clients, beside the uploads.
//
// Invariants:
// 1. The work for one user in a turn is bounded; then the others have theirs.

package import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The threads of an app.
package final class ViewSearchers: Sendable {
  private let searchers: [ViewSearcher]

  /// - Parameter threads: Empty for a new one.
  package init(threads: [ThreadExecutor] = []) {
    let threads = threads.isEmpty ? [ThreadExecutor(named: "realm-searches")] : threads
    searchers = threads.map { ViewSearcher(on: $0) }
  }

  /// The thread of a user, for all its searches.
  func searcher(of user: String) -> ViewSearcher {
    searchers[Int(UInt(bitPattern: user.hashValue) % UInt(searchers.count))]
  }
}

/// Searches on a thread, part by part.
actor ViewSearcher {
  private nonisolated let thread: ThreadExecutor
  nonisolated let turns = SearchTurns()

  init(on thread: ThreadExecutor) { self.thread = thread }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Searches in a version for a client's next download.
  ///
  /// - Parameter earlier: The finding of an earlier version.
  func find(
    _ search: ViewSearch, from earlier: ViewFinding?
  ) async throws(StoreError) -> Result<ViewFinding, SessionRefusal> {
    let user = search.request.user
    await turns.begin(user)
    defer { turns.end(user) }
    return try await search.run(from: earlier, SearchShare(of: user, turns))
  }

  /// Binds a query to the classes of a version, and counts the cost of its search.
  ///
  /// - Parameter countsElements: See `ServerRealm.check`.
  func check(
    _ query: EffectiveQuery, countsElements: Bool, of user: String, in snapshot: RealmSnapshot,
    _ scratch: ViewScratch?
  ) async throws(StoreError) -> Result<View, SessionRefusal> {
    await turns.begin(user)
    defer { turns.end(user) }
    let schemas = try StoreError.storing(snapshot.objects.classSchemas())
    switch try ViewSearch.bind([query], to: snapshot, schemas, scratch) {
    case .success(let views):
      let refusal = try await views[0].costRefusal(
        in: snapshot.objects, countsElements: countsElements, SearchShare(of: user, turns))
      return refusal.map { .failure($0) } ?? .success(views[0])
    case .failure(let refusal): return .failure(refusal)
    }
  }
}

/// A search's part of its thread.
final class SearchShare {
  /// The comparisons of a turn, about.
  @TaskLocal static var comparisonCountMax = 1 << 18

  private let user: String
  private let turns: SearchTurns
  private var left = SearchShare.comparisonCountMax

  init(of user: String, _ turns: SearchTurns) {
    self.user = user
    self.turns = turns
  }

  /// Notes comparisons, and lets others have the thread after many (`ViewSearcher` 1).
  nonisolated(nonsending) func spend(_ comparisons: Int) async {
    left -= comparisons
    guard left <= 0 else { return }
    left = Self.comparisonCountMax
    await turns.rest(user)
  }
}
