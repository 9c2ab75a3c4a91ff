// SPDX-License-Identifier: Apache-2.0

// Access tokens that expire in the middle of everything, with devices and a server in one process.

#if Sync
import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct TokenExpiryTests {
  /// The errors that a program gets.
  private static func errors(_ configuration: Realm.Configuration) -> Locked<[String]> {
    let errors = Locked<[String]>([])
    configuration.syncConfiguration?.user.app.syncManager.errorHandler = { error, _ in
      errors.withLock { $0.append("\(error)") }
    }
    return errors
  }

  /// Each token expires one message later than the one before it, so that one ends between any two
  /// messages: of a bootstrap, of uploads, of a reset with its fresh copy, and of what follows it.
  @Test(arguments: [SyncMode.flexible, .partition])
  func nothingIsLostAndNothingIsReported(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let author = try await ResetDevice(
      ResetDevice.configuration(app, "author", .recoverUnsyncedChanges()))
    var names = (0..<40).map { "a\(10 + $0)" }
    for name in names { try await author.add(name) }
    try await author.meet()
    let backup = try app.backUp()
    try await author.add("b")
    try await author.meet()
    let configuration = try await ResetDevice.configuration(
      app, "device", .recoverUnsyncedChanges())
    let errors = Self.errors(configuration)
    app.server.expireTokens(after: 2)
    let device = try await ResetDevice(configuration)
    await expectEqual(device.names(), names + ["b"])
    let afterBootstrap = app.server.expiredTokens
    for number in 0..<20 {
      names.append("c\(10 + number)")
      try await device.add("c\(10 + number)")
      if number % 4 == 0 { try await device.meet() }
    }
    try await device.meet()
    let afterUploads = app.server.expiredTokens
    expectTrue(afterBootstrap > 0)
    expectTrue(afterUploads > afterBootstrap)
    // The backup lacks all of it but the first forty; what was uploaded is gone with the server.
    app.server.setOnline(false)
    try await device.add("d")
    app.restore(backup)
    app.server.expireTokens(after: 3)
    app.server.setOnline(true)
    try await device.session().reconnect()
    let expected = names.prefix(40) + ["d"]
    try await device.waitForNames(Array(expected))
    try await device.meet()
    expectTrue(app.server.expiredTokens > afterUploads)
    expectEqual(errors.withLock { $0 }, [])
    app.server.expireTokens(after: nil)
    let other = try await ResetDevice(
      ResetDevice.configuration(app, "other", .recoverUnsyncedChanges()))
    await expectEqual(other.names(), Array(expected))
  }
}
#endif
