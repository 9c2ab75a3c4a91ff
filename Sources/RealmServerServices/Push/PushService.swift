// SPDX-License-Identifier: Apache-2.0

// Push messages: devices register here, and a webhook of the operator sends.
//
// The webhook gets `{"app":…,"event":"push","service":…,"payload":…,"devices":[{"user":…,
// "token":…}]}`, with at most `deviceCountMax` devices in a request (`WebhookSender`). It answers
// 200, perhaps with `{"gone":[…]}`: tokens without a device.

#if Server
package import RealmFormats
import RealmStorage
package import RealmSyncProtocol

/// A service for push messages, as the app's file has it.
package struct PushProvider: Hashable, Sendable {
  /// The name in requests of clients.
  package var service: String
  package var webhook: Webhook

  package init(_ service: String, _ webhook: Webhook) {
    self.service = service
    self.webhook = webhook
  }
}

/// A message for the devices of some users.
package struct PushMessage: Hashable, Sendable {
  package var service: String
  package var users: [String]
  /// The content beside the devices.
  package var payload: BSONValue

  package init(_ service: String, to users: [String], _ payload: BSONValue) {
    self.service = service
    self.users = users
    self.payload = payload
  }
}

/// The outcome of a message.
package struct PushReport: Hashable, Sendable {
  /// The devices in the requests to the webhook.
  package var deviceCount = 0
  /// The devices without valid tokens; their registrations are removed.
  package var goneCount = 0
}

/// A refused push message or registration.
package enum PushError: Error, Hashable, Sendable {
  case unknownService(String)
  case tooLarge(String)
  /// In words for the operator.
  case broken(String)
  case user(AccountError)
}

/// The push services of one app.
package final class PushService: Sendable {
  package static let userCountMax = 1_000
  package static let payloadByteCountMax = 16 << 10
  /// The devices in one request to a webhook.
  package static let deviceCountMax = 500
  private static let timeout: Milliseconds = 30_000

  private let accounts: AccountService
  private let webhooks: WebhookSender
  private let providers = Locked<[String: PushProvider]>([:])

  /// - Parameter transport: Calls webhooks; nil for the one of logins.
  package init(
    _ providers: [PushProvider] = [], accounts: AccountService,
    transport: (any HTTPTransport)? = nil
  ) {
    self.accounts = accounts
    webhooks = transport.map { accounts.services.webhooks(by: $0) } ?? accounts.services.webhooks
    set(providers)
  }

  /// Takes other providers, from now on.
  package func set(_ providers: [PushProvider]) {
    self.providers.withLock {
      $0 = Dictionary(providers.map { ($0.service, $0) }, uniquingKeysWith: { $1 })
    }
  }

  private func provider(_ service: String) throws(PushError) -> PushProvider {
    guard let provider = providers.withLock({ $0[service] }) else {
      throw .unknownService(service)
    }
    return provider
  }

  // MARK: Registrations

  /// Registers the device of a session.
  package func register(
    _ token: String, of access: UserAccess, for service: String
  ) async throws(PushError) {
    _ = try provider(service)
    do throws(AccountError) {
      try await accounts.registerPush(token, of: access, for: service)
    } catch {
      throw .user(error)
    }
  }

  /// Ends the registration of the device of a session.
  package func deregister(of access: UserAccess, for service: String) async throws(PushError) {
    _ = try provider(service)
    do throws(AccountError) {
      try await accounts.deregisterPush(of: access, for: service)
    } catch {
      throw .user(error)
    }
  }

  // MARK: Messages

  /// Hands a message over for all devices of its users. Users without one get nothing.
  package func send(_ message: PushMessage) async throws(PushError) -> PushReport {
    let provider = try provider(message.service)
    guard message.users.count <= Self.userCountMax else {
      throw .tooLarge("a message is for \(Self.userCountMax) users at most")
    }
    guard message.payload.approximateByteCount <= Self.payloadByteCountMax else {
      throw .tooLarge("a message has a payload of \(Self.payloadByteCountMax >> 10) KiB at most")
    }
    var report = PushReport()
    var waiting: [Addressee] = []
    var seen: Set<String> = []
    for user in message.users where seen.insert(user).inserted {
      for token in try await tokens(of: user, message.service) {
        waiting.append(Addressee(user: user, token: token))
        guard waiting.count == Self.deviceCountMax else { continue }
        try await send(message, to: waiting, by: provider, &report)
        waiting = []
      }
    }
    if !waiting.isEmpty { try await send(message, to: waiting, by: provider, &report) }
    return report
  }

  private struct Addressee {
    let user: String
    let token: String
  }

  private func tokens(of user: String, _ service: String) async throws(PushError) -> [String] {
    do throws(AccountError) {
      return try await accounts.pushTokens(of: user, for: service)
    } catch {
      throw .user(error)
    }
  }

  private func send(
    _ message: PushMessage, to addressees: [Addressee], by provider: PushProvider,
    _ report: inout PushReport
  ) async throws(PushError) {
    let body = JSONWriter.bytes(
      [
        "app": .string(accounts.app), "event": "push", "service": .string(message.service),
        "payload": ExtendedJSONWriter.json(message.payload),
        "devices": .array(
          addressees.map { ["user": .string($0.user), "token": .string($0.token)] }),
      ])
    let answer: HTTPResponse
    do throws(AppFailure) {
      answer = try await webhooks.send(
        body, to: provider.webhook, for: "push", of: accounts.app, now: accounts.unixSeconds,
        timeout: Self.timeout)
    } catch {
      throw .broken("the webhook for push messages did not answer: \(error)")
    }
    guard answer.status == 200 else {
      throw .broken("the webhook for push messages answered with the status \(answer.status)")
    }
    report.deviceCount += addressees.count
    let gone = Set((try? JSONParser.parse(answer.body))?["gone"]?.array?.compactMap(\.string) ?? [])
    guard !gone.isEmpty else { return }
    for user in Set(addressees.filter { gone.contains($0.token) }.map(\.user)).sorted() {
      do throws(AccountError) {
        report.goneCount += try await accounts.removePushTokens(
          gone, of: user, for: message.service)
      } catch {
        throw .user(error)
      }
    }
  }
}

extension PushError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownService(let name): "service not found: '\(name)'"
    case .tooLarge(let text), .broken(let text): text
    case .user(let error): "the user cannot be looked up: \(error)"
    }
  }
}
#endif
