// SPDX-License-Identifier: Apache-2.0

// Mails to users of another server, for choosing a password here.
//
// A user with a valid mail gets no other, so an interrupted run goes on when it is begun again.

#if Server
package import RealmServerEngine
package import RealmServerServices
import RealmStorage

/// Mails all users of an app without a password.
package struct InvitationRun: Sendable {
  private let accounts: AccountService
  private let app: AppFile
  private let mailsPerMinute: Int

  /// The numbers of a run.
  package struct Outcome: Hashable, Sendable {
    package var sentCount = 0
    /// The invalid addresses.
    package var badAddresses: [String] = []
  }

  /// - Parameters:
  ///   - key: The key of tokens.
  ///   - mailsPerMinute: How many mails are handed to a server or a webhook in a minute.
  package init(
    _ app: AppFile, in directory: ServerDirectory, store: AccountStore, key: [UInt8],
    mailsPerMinute: Int, clock: ServerClock = .machine
  ) {
    accounts = OperatorAccounts.service(
      of: app, in: directory, store: store, key: key, clock: clock)
    self.app = app
    self.mailsPerMinute = max(1, mailsPerMinute)
  }

  /// Sends the mails.
  ///
  /// - Parameter progress: Is called after each mail with the number of sent ones, and of all.
  package func run(
    progress: @Sendable (_ sent: Int, _ all: Int) -> Void = { _, _ in }
  ) async throws(ServerFailure) -> Outcome {
    var outcome = Outcome()
    guard app.accounts.confirmation != nil else { return outcome }
    do throws(AccountError) {
      let addresses = try await accounts.addressesToInvite()
      for address in addresses {
        do throws(AccountError) {
          try await accounts.invite(address)
          outcome.sentCount += 1
        } catch {
          guard case .badName = error else { throw error }
          outcome.badAddresses.append(address)
          continue
        }
        progress(outcome.sentCount, addresses.count)
        try await pause(before: outcome.sentCount < addresses.count)
      }
    } catch {
      throw ServerFailure(
        "After \(outcome.sentCount) mails, one could not be sent: \(Self.text(error)). Correct "
          + "\"mail\" in app.json, and go on with realm-server users invite.")
    }
    return outcome
  }

  /// Files for a program of the operator need no pause.
  private func pause(before hasMore: Bool) async throws(AccountError) {
    guard hasMore, app.accounts.mail.delivery != .folder else { return }
    do {
      try await Task.sleep(for: .milliseconds(60_000 / mailsPerMinute))
    } catch {
      throw .busy
    }
  }

  private static func text(_ error: AccountError) -> String {
    switch error {
    case .mailFailed(let reason): ServerFailure.text(reason)
    case .store(let cause): ServerFailure.text(cause)
    default: "\(error)"
    }
  }
}
#endif
