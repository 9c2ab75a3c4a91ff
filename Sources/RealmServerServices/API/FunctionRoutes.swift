// SPDX-License-Identifier: Apache-2.0

// Calls of functions (P1 A.3).

#if Server
import RealmFormats

/// The route `functions/call` of an app.
struct FunctionRoutes {
  let app: APIApp

  func call(_ request: APIRequest) async throws(APIError) -> APIResponse {
    let account = try await app.account(of: request)
    let body = try APIBody(request)
    let name = try body.text("name")
    if let service = body.json["service"]?.string {
      return try await DocumentRoutes(app: app).call(
        name, of: service, body.arguments(), account)
    }
    let arguments = try body.arguments()
    let result: BSONValue
    do throws(FunctionError) {
      result = try await app.functions.call(name, arguments, of: account)
    } catch {
      throw APIError(function: error)
    }
    return Self.response(result)
  }

  /// The answer with a result.
  static func response(_ result: BSONValue) -> APIResponse {
    var response = APIResponse(ExtendedJSONWriter.json(result))
    if result["error"] != nil || result["error_code"] != nil {
      response.contentType = APIResponse.uninspectedJSON
    }
    return response
  }
}
#endif
