// SPDX-License-Identifier: Apache-2.0

// Registrations for push messages, and messages of the app's own programs (P1 A.2).

#if Server
import RealmFormats
import RealmText

/// The routes `push/providers/<service>/…` of an app.
struct PushRoutes {
  let app: APIApp

  func respond(
    _ request: APIRequest, _ path: ArraySlice<String>
  ) async throws(APIError) -> APIResponse {
    let access = try await app.access(of: request)
    let push = app.functions.push
    guard let name = path.first else { throw .notFound }
    let service = PercentText.decoded(name)
    switch (request.method, Array(path.dropFirst())) {
    case ("PUT", ["registration"]):
      let token = try APIBody(request).text("registrationToken")
      try await Self.mapping { () throws(PushError) in
        try await push.register(token, of: access, for: service)
      }
      return .noContent
    case ("DELETE", ["registration"]):
      try await Self.mapping { () throws(PushError) in
        try await push.deregister(of: access, for: service)
      }
      return .noContent
    case ("POST", ["messages"]):
      // Users could disturb others.
      guard access.account.isServer else {
        throw APIError(403, "AuthError", "messages are sent with an API key of the app alone")
      }
      let message = try Self.message(APIBody(request), to: service)
      let report = try await Self.mapping { () throws(PushError) in
        try await push.send(message)
      }
      return APIResponse(
        [
          "devices": .integer(Int64(report.deviceCount)), "gone": .integer(Int64(report.goneCount)),
        ])
    default: throw .notFound
    }
  }

  private static func message(
    _ body: APIBody, to service: String
  ) throws(APIError) -> PushMessage {
    guard let users = body.json["users"]?.array else { throw .missing("users") }
    let ids = users.compactMap(\.string)
    guard ids.count == users.count else {
      throw APIError(400, "InvalidParameter", "the users are no ids")
    }
    do throws(BSONError) {
      let payload = try ExtendedJSONReader.value(body.json["payload"] ?? .object([]))
      return PushMessage(service, to: ids, payload)
    } catch {
      throw .noExtendedJSON("the payload is", error)
    }
  }

  private static func mapping<R: Sendable>(
    _ call: () async throws(PushError) -> R
  ) async throws(APIError) -> R {
    do throws(PushError) { return try await call() } catch { throw APIError(push: error) }
  }
}
#endif
