// SPDX-License-Identifier: Apache-2.0

// Rules that change while sessions run, or begin (P4 C.4).

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct CurrentRulesTests {
  private static func access(
    read: Bool = false, write: Bool = false,
    users: @escaping @Sendable (String) async throws(SessionRefusal) -> RuleUser = {
      (id) throws(SessionRefusal) in RuleUser(id: id)
    }
  ) -> PartitionAccess {
    PartitionAccess(
      PartitionPermissions(read: .constant(read), write: .constant(write)), users: users)
  }

  private static func session(_ bench: SessionBench) async -> ServerSession {
    let store = bench.store()
    await expectEqual(store.perform(bench.bind(needsIdent: true)).code, nil)
    return store
  }

  /// `CurrentRules` 1
  @Test func sessionsWithOtherRightsEnd() async throws {
    let bench = SessionBench(.partition, access: Self.access(read: true))
    let rules = bench.app.rules
    let first = await Self.session(bench)
    await expectEqual(rules.replace(by: Self.access(read: true)), 0)
    await expectEqual(rules.replace(by: Self.access(write: true)), 1)
    await first.close()
    let second = await Self.session(bench)
    // Development mode is the right to write.
    await expectEqual(rules.replace(by: nil), 0)
    await expectEqual(rules.replace(by: Self.access()), 1)
    await second.close()
    await expectEqual(rules.replace(by: nil), 0)
  }

  /// `CurrentRules` 1: what is known of the user may have changed, too.
  @Test func sessionsOfOtherUsersEnd() async throws {
    let isKnown = Locked(true)
    let bench = SessionBench(
      .partition,
      access: Self.access(
        write: true,
        users: { (id) throws(SessionRefusal) in
          guard isKnown.withLock({ $0 }) else { throw SessionRefusal(.permissionDenied, "") }
          return RuleUser(id: id)
        }))
    let session = await Self.session(bench)
    await expectEqual(bench.app.rules.recheck(), 0)
    isKnown.withLock { $0 = false }
    await expectEqual(bench.app.rules.recheck(), 1)
    await session.close()
  }

  /// `CurrentRules` 1
  @Test func aSessionThatBeginsMeanwhileAsksAgain() async throws {
    let bench = SessionBench(.partition)
    let rules = bench.app.rules
    let isFirst = Locked(true)
    // The rules change while the session waits for what they need to know.
    _ = await rules.replace(
      by: Self.access(
        write: true,
        users: { (id) throws(SessionRefusal) in
          let isFirst = isFirst.withLock { value in
            defer { value = false }
            return value
          }
          if isFirst { _ = await rules.replace(by: Self.access()) }
          return RuleUser(id: id)
        }))
    await expectEqual(
      bench.store().perform(bench.bind(needsIdent: true)).code, .permissionDenied)
  }
}
