// SPDX-License-Identifier: Apache-2.0

// Calls of collections, and streams of their changes (P1 A.3).

#if Server
import RealmFormats
import RealmText

/// The route `functions/call` of an app, for the service with its documents.
struct DocumentRoutes {
  let app: APIApp

  /// Carries out a call.
  func call(
    _ name: String, of service: String, _ arguments: [BSONValue], _ account: Account
  ) async throws(APIError) -> APIResponse {
    let documents = try documents(of: service)
    guard DocumentCommand.names.contains(name) else {
      throw APIError(404, "ServiceCommandNotFound", "command not found: '\(name)'")
    }
    do throws(DocumentError) {
      return FunctionRoutes.response(
        try await documents.call(name, arguments, user: account.id))
    } catch {
      throw APIError(call: error)
    }
  }

  /// Opens the stream of the call in a request's query.
  func watch(_ request: APIRequest) async throws(APIError) -> EventStream {
    guard let token = request.parameter("baas_at") ?? request.bearerToken else { throw .noToken }
    let access = try await app.access(token)
    guard let text = request.parameter("baas_request"),
      let bytes = Base64.decode(PercentText.decoded(text))
    else { throw .missing("baas_request") }
    let body = try APIBody(APIRequest(request.method, request.path, body: bytes))
    let documents = try documents(of: body.json["service"]?.string ?? "")
    guard try body.text("name") == "watch" else {
      throw APIError(404, "ServiceCommandNotFound", "the call has no stream")
    }
    let arguments = try body.arguments()
    let watch: DocumentWatch
    do throws(DocumentError) {
      watch = try await documents.watch(arguments, user: access)
    } catch {
      throw APIError(call: error)
    }
    // An end of the access finds the stream from now on; one that came before is found here.
    _ = try await app.access(token)
    return EventStream(watch)
  }

  private func documents(of service: String) throws(APIError) -> DocumentService {
    guard let documents = app.documents, documents.isService(service) else {
      throw APIError(404, "ServiceNotFound", "service not found: '\(service)'")
    }
    return documents
  }
}
#endif
