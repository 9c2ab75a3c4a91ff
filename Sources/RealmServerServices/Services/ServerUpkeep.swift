// SPDX-License-Identifier: Apache-2.0

// The regular upkeep of a server: removals, and realms to close.
//
// Invariants:
// 1. Realms that are not open are looked at, too; they are opened only if there is something to do.
// 2. One realm that fails does not keep the others from their upkeep.
// 3. Each server does the upkeep of its own realms, and of those without an owner.

#if Server
package import RealmServerEngine
import RealmSyncProtocol

/// Cleans up one app.
package struct ServerUpkeep: Sendable {
  /// The result of a run.
  package struct Report: Sendable {
    package var accounts = AccountCleaningCounts()
    package var expiredFiles = 0
    package var forgottenFiles = 0
    package var trimmedVersions: UInt64 = 0
    package var failures: [String] = []
  }

  /// The numbers of removed users, tokens and addresses.
  package struct AccountCleaningCounts: Hashable, Sendable {
    package var sessions = 0
    package var tokens = 0
    package var anonymousUsers = 0
    package var registrations = 0
  }

  private let app: ServerApp
  private let accounts: AccountService
  private let rules: UpkeepRules
  private let clock: ServerClock
  private let kept: KeptVersion

  /// The version of a realm whose later entries triggers need; nil if none needs any.
  package typealias KeptVersion = @Sendable (RealmID) async throws(StoreError) -> UInt64?

  package init(
    _ app: ServerApp, accounts: AccountService, rules: UpkeepRules = UpkeepRules(),
    clock: ServerClock, kept: @escaping KeptVersion = { _ in nil }
  ) {
    self.kept = kept
    self.app = app
    self.accounts = accounts
    self.rules = rules
    self.clock = clock
  }

  /// The number of open realms.
  package var openRealmCount: Int { get async { await app.realms.openCount } }

  /// Closes the realms without use for a while.
  package func closeIdle() async {
    let (idle, now) = (UInt64(rules.idleMinutes) * 60_000, clock.now().milliseconds)
    await app.realms.closeIdle(since: OriginTimestamp(milliseconds: now - min(idle, now)))
  }

  /// Lets open realms forget what no client has used since the last call.
  package func forgetUnused() async { await app.realms.forgetUnused() }

  /// Leaves realms to other servers as their sessions end, as this one is about to end.
  package func drain() async { await app.realms.drain() }

  /// Closes all realms, as the app is not served any more.
  package func closeAll() async { await app.realms.closeAll() }

  /// Removes all due rows.
  package func run() async -> Report {
    var report = Report()
    do throws(StoreError) {
      let cleaning = try await accounts.store.clean(
        rules, now: clock.now(), recording: accounts.settings.recordedEvents)
      if !cleaning.anonymousUsers.isEmpty { accounts.news.report() }
      for user in cleaning.anonymousUsers { accounts.ends.report(.account(user)) }
      report.accounts = AccountCleaningCounts(
        sessions: cleaning.sessions, tokens: cleaning.tokens,
        anonymousUsers: cleaning.anonymousUsers.count, registrations: cleaning.registrations)
    } catch {
      report.failures.append("the users: \(error)")
    }
    do throws(StoreError) {
      for realm in try await app.realms.realms(ofApp: app.name) {
        if Task.isCancelled { break }
        await trim(realm, &report)
      }
    } catch {
      report.failures.append("the realms: \(error)")
    }
    return report
  }

  private func trim(_ realm: RealmID, _ report: inout Report) async {
    let offline = UpkeepRules.milliseconds(days: rules.offlineDays)
    let expired = UpkeepRules.milliseconds(days: rules.expiredDays)
    do throws(StoreError) {
      let outline = try await app.realms.peek(realm)
      guard
        Trimming.isDue(
          outline, now: clock.now(), offlineMillisecondsMax: offline,
          expiredMillisecondsMax: expired, keepingAfter: try await kept(realm))
      else { return }
      let opened = try await app.realms.open(outline.name)
      let (registry, kept) = (app.registry, kept)
      let result = try await opened.realm.trim(
        offlineMillisecondsMax: offline, expiredMillisecondsMax: expired,
        kept: { () async throws(StoreError) in try await kept(realm) },
        isPresent: { registry.session(of: $0, in: realm) != nil })
      report.expiredFiles += result.expiredFiles
      report.forgottenFiles += result.forgottenFiles
      report.trimmedVersions += result.versions
    } catch {
      if case .owned = error { return }
      report.failures.append("\(realm.rawValue): \(error)")
    }
  }
}
#endif
