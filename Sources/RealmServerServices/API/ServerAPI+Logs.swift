// SPDX-License-Identifier: Apache-2.0

// The numbers of requests, by which clients and operators speak of one (P1 A.4).

#if Server
extension ServerAPI {
  /// The header of each answer with the number of its request.
  package static let idHeader = "X-Appservices-Request-Id"

  /// Where an error document sends its reader.
  package func logLink(_ request: APIRequest) -> String {
    let parts = request.path.split(separator: "/", maxSplits: 5).map(String.init)
    let known = parts.count > 4 && parts[3] == "app" ? app(parts[4])?.id : nil
    let address = publicURL ?? Self.address(of: request)
    return address + (known.map { "/apps/\($0)" } ?? "") + "/logs?co_id=\(request.id)"
  }

  /// The page behind such a link: the log itself is the operator's. Nil for other requests.
  func logAnswer(_ request: APIRequest) -> APIResponse? {
    guard let id = request.parameter("co_id"), RandomBytes.isIdentifier(id) else { return nil }
    let text =
      "The operator of the server finds the request \(id) in its traces, and in its log at the "
      + "level debug.\n"
    return APIResponse(contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }
}
#endif
