// SPDX-License-Identifier: Apache-2.0

// Calls of the app's own code: closures, and webhooks.
//
// A webhook gets `{"app":…,"event":…,"arguments":[…]}` with extended JSON (`WebhookSender`). It
// answers 200 with a value as extended JSON.

#if Server
package import RealmFormats
import RealmSyncProtocol

/// The events of webhooks.
package enum LoginEvent: String, CaseIterable, Hashable, Sendable {
  case login
  case confirm
  case reset
  case mail
}

extension LoginServices {
  private static let answerByteCountMax = 64 << 10
  private static let timeout: Milliseconds = 10_000

  /// Calls a hook.
  ///
  /// - Parameter now: Seconds since 1970.
  /// - Throws: `AccountError.hookFailed` if it does not answer with a value, `.busy` if too many
  ///   are called already.
  func call(
    _ hook: LoginHook, _ event: LoginEvent, of app: String, _ arguments: [BSONValue], now: Int64
  ) async throws(AccountError) -> BSONValue {
    try beginHook()
    defer { endHook() }
    switch hook {
    case .function(let name):
      guard let function = functions[name] else {
        throw .hookFailed("the server's program has no function '\(name)' for logins")
      }
      do {
        return try await function(arguments)
      } catch {
        throw .hookFailed("the function '\(name)' failed")
      }
    case .webhook(let hook):
      return try await call(hook, event, of: app, arguments, now: now)
    }
  }

  /// Calls a webhook.
  package func call(
    _ hook: Webhook, _ event: LoginEvent, of app: String, _ arguments: [BSONValue], now: Int64
  ) async throws(AccountError) -> BSONValue {
    let body = JSONWriter.bytes(
      [
        "app": .string(app), "event": .string(event.rawValue),
        "arguments": ExtendedJSONWriter.json(.array(arguments)),
      ])
    let answer: HTTPResponse
    do throws(AppFailure) {
      answer = try await webhooks.send(
        body, to: hook, for: event.rawValue, of: app, now: now, timeout: Self.timeout)
    } catch {
      throw .hookFailed("the webhook for \(event.rawValue) did not answer: \(error)")
    }
    guard answer.status == 200 else {
      throw .hookFailed(
        "the webhook for \(event.rawValue) answered with the status \(answer.status)")
    }
    if answer.body.isEmpty { return .null }
    guard answer.body.count <= Self.answerByteCountMax,
      let json = try? JSONParser.parse(answer.body),
      let value = try? ExtendedJSONReader.value(json)
    else { throw .hookFailed("the webhook for \(event.rawValue) answered with no extended JSON") }
    return value
  }
}
#endif
