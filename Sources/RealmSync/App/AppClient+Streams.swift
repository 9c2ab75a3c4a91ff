// SPDX-License-Identifier: Apache-2.0

// The changes of collections as they happen (P1 A.3).

package import RealmFormats
import RealmStorage
package import RealmSyncProtocol
import RealmText

extension AppClient {
  /// Watches a collection until the server ends the stream, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - arguments: The document of the call.
  ///   - onOpen: Called when the stream is open.
  ///   - onEvent: Takes the changes, one after the other.
  /// - Throws: Also `AppFailure.cancelled`.
  nonisolated(nonsending)
    package func watch(
      _ arguments: BSONValue, service: String, as user: AppUser, onOpen: () async -> Void,
      onEvent: (BSONValue) async -> Void
    ) async throws(AppFailure)
  {
    try check(user)
    do throws(AppFailure) {
      try await watchOnce(arguments, service, user, onOpen, onEvent)
    } catch  where error.isUnauthorized {
      try await refreshToken(of: user)
      try await watchOnce(arguments, service, user, onOpen, onEvent)
    }
  }

  nonisolated(nonsending)
    private func watchOnce(
      _ arguments: BSONValue, _ service: String, _ user: AppUser, _ onOpen: () async -> Void,
      _ onEvent: (BSONValue) async -> Void
    ) async throws(AppFailure)
  {
    if state.withLock({ $0.location == nil }) { try await refreshLocation() }
    let call = JSONValue.object([
      JSONMember("arguments", ExtendedJSONWriter.json(.array([arguments]))),
      JSONMember("name", .string("watch")), JSONMember("service", .string(service)),
    ])
    let token = user.record.accessToken?.text ?? ""
    let query =
      "functions/call?baas_request=" + Self.escaped(Base64.encode(JSONWriter.bytes(call)))
      + "&baas_at=" + token
    let request = withHeaders(
      HTTPRequest(
        .get, url: location.host + Root.app.path(settings.id) + query,
        headers: [HTTPHeader("Accept", "text/event-stream")]))
    var refusal: HTTPResponse?
    var failure: AppFailure?
    var parser = EventStreamParser()
    try await transport.stream(request) { head in
      guard (200..<300).contains(head.status) else {
        refusal = head
        return true
      }
      await onOpen()
      return true
    } part: { bytes in
      if refusal != nil {
        // The body says why, and is small.
        refusal?.body += bytes
        return refusal.map { $0.body.count < 64 << 10 } ?? false
      }
      guard let events = parser.add(bytes) else {
        failure = .badAnswer("The server sent an event that is too large.")
        return false
      }
      for event in events {
        switch Self.change(event) {
        case .success(let change): await onEvent(change)
        case .failure(let error):
          failure = error
          return false
        }
      }
      return true
    }
    if let refusal { _ = try json(refusal) }
    if let failure { throw failure }
  }

  /// The change of an event.
  private static func change(_ event: StreamEvent) -> Result<BSONValue, AppFailure> {
    guard event.type.isEmpty else {
      let document = try? JSONParser.parse(event.data)
      return .failure(
        .service(
          name: document?["error_code"]?.string, message: document?["error"]?.string ?? event.data,
          status: 200, logURL: nil))
    }
    guard let change = try? ExtendedJSONReader.parse(event.data) else {
      return .failure(.badAnswer("The server sent a change that is no extended JSON."))
    }
    return .success(change)
  }

  /// A text of Base64 in an address.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "+": result += "%2B"
      case "/": result += "%2F"
      case "=": result += "%3D"
      default: result.append(character)
      }
    }
    return result
  }
}
