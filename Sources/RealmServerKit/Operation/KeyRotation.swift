// SPDX-License-Identifier: Apache-2.0

// Another key of tokens, of a server that runs or is stopped.
//
// Invariants:
// 1. The replaced key is accepted until the last login with it is over: nobody is logged out.

#if Server
import Foundation
package import RealmServerEngine
import RealmServerServices
package import RealmSyncProtocol

/// Replaces the key of tokens in a folder.
package struct KeyRotation: Sendable {
  /// The time after the end of a session in which an access token of it may still be used.
  private static let margin: Int64 = 24 * 3_600

  private let directory: ServerDirectory
  private let clock: ServerClock
  private let random = RandomBytes()

  package init(_ directory: ServerDirectory, clock: ServerClock) {
    self.directory = directory
    self.clock = clock
  }

  /// The keys for the tokens of a server.
  ///
  /// - Parameter mayMake: Whether a missing one is made.
  func keys(
    mayMake: Bool
  ) throws(ServerFailure) -> (
    present: any MessageSigner, earlier: [SigningKeys.Earlier]
  ) {
    let present = try directory.signingKey(random: random, mayMake: mayMake)
    let earlier = try directory.earlierKeys(now: OperationTime.seconds(clock.now()))
    return (
      HMACSigner(key: present),
      earlier.map { SigningKeys.Earlier(HMACSigner(key: $0.key), end: $0.end) }
    )
  }

  /// Makes another key, which a server has to read.
  ///
  /// - Parameters:
  ///   - endsLogins: Whether tokens of earlier keys are not accepted any more.
  ///   - sharedExpiry: When the last login of users in a database is over; nil if it is not known.
  /// - Returns: What was done, for the operator.
  package func rotate(
    endsLogins: Bool, sharedExpiry: OriginTimestamp? = nil
  ) throws(ServerFailure) -> String {
    guard !endsLogins else {
      try directory.replaceSigningKey(random: random, keepingPresentUntil: nil)
      return "A new key signs all tokens. Those of earlier keys are not accepted any more: all "
        + "users have to log in again"
    }
    let end = try lastExpiry(sharedExpiry)
    try directory.replaceSigningKey(random: random, keepingPresentUntil: end)
    let text = OperationTime.text(Date(timeIntervalSince1970: Double(end)))
    return "A new key signs all tokens. Those of the earlier one are accepted until they are over, "
      + "on \(text) at the latest"
  }

  /// When the last login of all apps is over, in seconds since 1970.
  private func lastExpiry(_ shared: OriginTimestamp?) throws(ServerFailure) -> Int64 {
    var last = OperationTime.seconds(clock.now())
    if let shared { last = max(last, OperationTime.seconds(shared)) }
    for app in try directory.appFolders() {
      if directory.hasSharedRealms, shared == nil {
        // As if a login had begun just now.
        let days = Int64(try directory.app(app).accounts.refreshDays)
        last = max(last, OperationTime.seconds(clock.now()) + days * 24 * 3_600)
      }
      let path = directory.accountsPath(app)
      guard directory.exists(path) else { continue }
      do throws(StoreError) {
        if let end = try AccountCheck.lastExpiry(path: path) {
          last = max(last, OperationTime.seconds(end))
        }
      } catch {
        throw ServerFailure(
          "\(path) cannot be read: \(ServerFailure.text(error)). The key stays as it is.")
      }
    }
    return last + Self.margin
  }
}
#endif
