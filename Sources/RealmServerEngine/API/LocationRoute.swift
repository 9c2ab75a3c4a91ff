// SPDX-License-Identifier: Apache-2.0

// Where the server is (P1 A.1).

import RealmFormats

/// The route `location`.
struct LocationRoute {
  let publicURL: String?

  func respond(_ request: APIRequest) -> APIResponse {
    let address = publicURL ?? Self.address(of: request)
    let socketAddress = address.hasPrefix("http") ? "ws" + address.dropFirst(4) : address
    return APIResponse(
      .object([
        JSONMember("deployment_model", .string("GLOBAL")), JSONMember("location", .string("US-VA")),
        JSONMember("hostname", .string(address)), JSONMember("ws_hostname", .string(socketAddress)),
      ]))
  }

  /// The address in the client's request, as far as a trusted proxy before the server reports it.
  private static func address(of request: APIRequest) -> String {
    let host = request[header: "Host"] ?? "localhost"
    return (request.origin.isSecure ? "https" : "http") + "://" + host
  }
}
