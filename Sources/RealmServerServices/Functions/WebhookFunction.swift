// SPDX-License-Identifier: Apache-2.0

// Calls of functions by webhooks.
//
// A webhook gets `{"app":…,"event":"function","name":…,"arguments":[…]}` with extended JSON, and
// `"user"` or `"trigger"` (`WebhookSender`). It answers 200 with a value as extended JSON, or a
// status from 400 to 499 with `{"error":…}` for a failure in words for the caller.

#if Server
import RealmFormats
import RealmSyncProtocol

/// A call on its way to a webhook.
struct WebhookFunction {
  private static let errorByteCountMax = 1 << 10

  private let app: String
  private let name: String
  private let hook: Webhook
  private let now: Int64
  private let body: [UInt8]

  /// - Parameter now: Seconds since 1970.
  init(_ call: FunctionCall, _ hook: Webhook, now: Int64) {
    app = call.app
    name = call.name
    self.hook = hook
    self.now = now
    var members = [
      JSONMember("app", .string(call.app)), JSONMember("event", "function"),
      JSONMember("name", .string(call.name)),
      JSONMember("arguments", ExtendedJSONWriter.json(.array(call.arguments))),
    ]
    switch call.caller {
    case .user(let user): members.append(JSONMember("user", ExtendedJSONWriter.json(user.value)))
    case .trigger(let trigger): members.append(JSONMember("trigger", .string(trigger)))
    case .system: break
    }
    body = JSONWriter.bytes(.object(members))
  }

  func call(
    _ sender: WebhookSender, timeout: Milliseconds
  ) async throws(FunctionError) -> BSONValue {
    let answer: HTTPResponse
    do throws(AppFailure) {
      answer = try await sender.send(
        body, to: hook, for: "function", of: app, now: now, timeout: timeout)
    } catch {
      throw .broken("the webhook of '\(name)' did not answer: \(error)")
    }
    guard answer.body.count <= FunctionLimits.resultByteCountMax else { throw .resultTooLarge }
    guard answer.status == 200 else { throw failure(answer) }
    if answer.body.isEmpty { return .null }
    guard let json = try? JSONParser.parse(answer.body),
      let value = try? ExtendedJSONReader.value(json)
    else { throw .broken("the webhook of '\(name)' answered with no extended JSON") }
    return value
  }

  private func failure(_ answer: HTTPResponse) -> FunctionError {
    if (400..<500).contains(answer.status), let json = try? JSONParser.parse(answer.body),
      let text = json["error"]?.string
    {
      return .failed(text.cut(toByteCount: Self.errorByteCountMax))
    }
    return .broken("the webhook of '\(name)' answered with the status \(answer.status)")
  }
}
#endif
