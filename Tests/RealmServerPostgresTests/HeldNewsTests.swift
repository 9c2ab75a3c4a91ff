// SPDX-License-Identifier: Apache-2.0

#if Postgres
import RealmServerEngine
import TestExtensions
import Testing

@testable import RealmServerPostgres

/// What the database reports of a realm while this node stores a batch in it.
struct HeldNewsTests {
  /// `PostgresRealm` 3
  @Test func anAppendTellsOfItsVersionsAlone() async throws {
    let store = try StoreBench(.simulated, poll: 600_000).server(0)
    let (realm, head) = try await ownRealm(of: store)
    var heads = store.heads().makeAsyncIterator()

    var silent = head
    silent.version += 1
    realm.holdingNews {
      expectFalse(realm.takeNews(silent))
      realm.noteReported(silent)
    }
    expectFalse(realm.takeNews(silent))

    var next = silent
    next.version += 1
    realm.holdingNews { #expect(!realm.takeNews(next)) }
    await expectEqual(heads.next(), next)
    expectFalse(realm.takeNews(next))
  }

  /// `PostgresRealm` 3
  @Test func newsOfAFailedAppendIsReportedAtItsEnd() async throws {
    let store = try StoreBench(.simulated, poll: 600_000).server(0)
    let (realm, head) = try await ownRealm(of: store)
    var heads = store.heads().makeAsyncIterator()
    var (older, newer) = (head, head)
    older.version += 1
    newer.version += 2
    #expect(throws: StoreError.fenced) {
      try realm.holdingNews { () throws(StoreError) in
        expectFalse(realm.takeNews(newer))
        expectFalse(realm.takeNews(older))
        throw .fenced
      }
    }
    await expectEqual(heads.next(), newer)
  }

  private func ownRealm(
    of store: PostgresStore
  ) async throws -> (realm: PostgresRealm, head: RealmHead) {
    let opened = try await store.open(RealmName(app: "held", partition: "P"))
    let head = try await opened.own()
    return (try #require(store.known(head.realm)), head)
  }
}
#endif
