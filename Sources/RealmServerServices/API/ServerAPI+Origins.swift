// SPDX-License-Identifier: Apache-2.0

// Answers to pages of other origins (P1 A.1).

#if Server
extension ServerAPI {
  /// The header with the origin of the page that makes a request.
  private static let originHeader = "Origin"

  /// The answer to a browser that asks whether a page may make a request; nil for other requests.
  package func preflight(_ request: APIRequest) -> APIResponse? {
    guard request.method == "OPTIONS", let origin = request[header: Self.originHeader],
      request[header: "Access-Control-Request-Method"] != nil
    else { return nil }
    guard allows(origin, request) else {
      return APIError(
        403, "DomainNotAllowed",
        "pages of this origin may not call the app: its app.json names others in "
          + "\"allowed_origins\""
      ).response(link: logLink(request))
    }
    return .noContent
  }

  /// The headers of the answer to a request that say to a browser which page may read it.
  package func originHeaders(_ request: APIRequest) -> [(name: String, value: String)] {
    guard let origin = request[header: Self.originHeader] else { return [] }
    var headers = [(name: "Vary", value: Self.originHeader)]
    guard allows(origin, request) else { return headers }
    headers += [
      (name: "Access-Control-Allow-Origin", value: origin),
      (name: "Access-Control-Expose-Headers", value: Self.idHeader),
    ]
    guard preflight(request) != nil else { return headers }
    headers += [
      (name: "Access-Control-Allow-Methods", value: "GET, POST, PUT, DELETE"),
      (name: "Access-Control-Allow-Headers", value: "Authorization, Content-Type, Accept"),
      (name: "Access-Control-Max-Age", value: "600"),
    ]
    return headers
  }

  private func allows(_ origin: String, _ request: APIRequest) -> Bool {
    let parts = request.path.split(separator: "/", maxSplits: 5).map(String.init)
    guard parts.count > 3, parts.starts(with: ["api", "client", "v2.0"]) else { return false }
    if parts[3] == "app" {
      return parts.count > 4 && app(parts[4])?.origins.allow(origin) == true
    }
    guard parts[3] == "auth" else { return false }
    // Requests about the user of a token name no app. Nothing is known of a browser's question,
    // and of a token that is not valid the page has to know that.
    if let id = request.bearerToken.flatMap({ TokenIssuer.app(of: $0) }), let app = app(id) {
      return app.origins.allow(origin)
    }
    return apps().contains { $0.origins.allow(origin) }
  }
}
#endif
