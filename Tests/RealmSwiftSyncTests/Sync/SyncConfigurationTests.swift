// SPDX-License-Identifier: Apache-2.0

// What the configurations of synchronised realms are.

#if Sync
import Foundation
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct SyncConfigurationTests {
  private let app: MemoryApp

  init() throws { app = try MemoryApp() }

  @Test func userAndPartitionDecideAboutTheFile() async throws {
    let user = try await app.device("first").login(credentials: .anonymous)
    func name(_ configuration: Realm.Configuration) -> [String] {
      (configuration.fileURL?.pathComponents ?? []).suffix(4)
    }
    let folder = ["mongodb-realm", app.server.id, user.id]
    expectEqual(name(user.flexibleSyncConfiguration()), folder + ["flx_sync_default.realm"])
    expectEqual(name(user.configuration(partitionValue: "a b")), folder + ["s_a%20b.realm"])
    expectEqual(name(user.configuration(partitionValue: 7)), folder + ["l_7.realm"])
    expectEqual(name(user.configuration(partitionValue: Int32(7))), folder + ["i_7.realm"])
    expectEqual(name(user.configuration(partitionValue: nil)), folder + ["null.realm"])
  }

  @Test func equalConfigurationsOpenTheSame() async throws {
    let user = try await app.device("first").login(credentials: .anonymous)
    expectEqual(user.flexibleSyncConfiguration(), user.flexibleSyncConfiguration())
    expectEqual(user.configuration(partitionValue: "a"), user.configuration(partitionValue: "a"))
    expectTrue(user.configuration(partitionValue: "a") != user.configuration(partitionValue: "b"))
    expectTrue(user.configuration(partitionValue: "a") != user.flexibleSyncConfiguration())
    let other = try await app.device("second").login(credentials: .anonymous)
    expectTrue(user.flexibleSyncConfiguration() != other.flexibleSyncConfiguration())
  }

  @Test func theSynchronisedPartIsKept() async throws {
    let user = try await app.device("first").login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(
      cancelAsyncOpenOnNonFatalErrors: true, initialSubscriptions: { _ in }, rerunOnOpen: true)
    let sync = try #require(configuration.syncConfiguration)
    expectEqual(sync.user, user)
    expectTrue(sync.partitionValue == nil)
    expectTrue(sync.cancelAsyncOpenOnNonFatalErrors)
    expectEqual(sync.initialSubscriptions?.rerunOnOpen, true)
    guard case .recoverUnsyncedChanges(nil, nil) = sync.clientResetMode else {
      Issue.record("\(sync.clientResetMode)")
      return
    }
    expectEqual(user.configuration(partitionValue: 3).syncConfiguration?.partitionValue, .int64(3))
    for mode in [
      ClientResetMode.discardUnsyncedChanges(), .recoverOrDiscardUnsyncedChanges(),
      .recoverUnsyncedChanges(),
    ] {
      let other = user.configuration(partitionValue: 3, clientResetMode: mode)
      expectEqual(other.syncConfiguration.map { "\($0.clientResetMode)" }, "\(mode)")
    }
    // Set later, it sets the file as well; a file of its own is none of a session.
    let path = configuration.fileURL
    configuration.fileURL = URL(fileURLWithPath: "/tmp/other.realm")
    configuration.syncConfiguration = sync
    expectEqual(configuration.fileURL, path)
    expectEqual(Realm.Configuration(syncConfiguration: sync).fileURL, path)
  }
}
#endif
