// SPDX-License-Identifier: Apache-2.0

// Access to the server's page.
//
// Invariants:
// 1. No data and no page is sent, and nothing is done, without the token: in the address of the
//    page, then in a cookie hidden from scripts, or in a header of a program.
// 2. A request with the name of another host is refused: a foreign name for this address (DNS
//    rebinding) gets nothing, even with the cookie.
// 3. A request by a page of another origin is refused, whatever it carries.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmText

/// Decides whether a request is from the operator.
struct AdminGuard: Sendable {
  /// The header with the token, for programs other than browsers.
  static let tokenHeader = "x-realm-admin-token"

  let token: String

  init(random: RandomBytes) { token = random.digits(64) }

  /// The cookie of a port: a browser sends the cookies of 127.0.0.1 to all its ports.
  static func cookieName(_ port: Int) -> String { "realm-admin-\(port)" }

  /// Checks a request.
  ///
  /// - Throws: `AdminFailure` with 401 or 403.
  func check(_ request: AdminRequest) throws(AdminFailure) {
    let hosts = ["127.0.0.1:\(request.port)", "localhost:\(request.port)"]
    guard let host = request.headers["host"], hosts.contains(host) else {
      throw AdminFailure(
        403,
        "The request names another host than 127.0.0.1:\(request.port). Open the address that "
          + "'realm-server admin' prints.")
    }
    if let origin = request.headers["origin"], origin != "http://\(host)" {
      throw AdminFailure(403, "A page of another origin may not ask here.")
    }
    if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
      throw AdminFailure(403, "A page of another site may not ask here.")
    }
    guard isKnown(request) else {
      throw AdminFailure(
        401,
        "The token is missing or wrong. Open the address that 'realm-server admin' prints: "
          + "it is another one after each start of the server.")
    }
    guard request.method == "GET" || isDeliberate(request) else {
      throw AdminFailure(403, "The request does not come from the page of the server.")
    }
  }

  private func isKnown(_ request: AdminRequest) -> Bool {
    var candidates = [request.cookie(Self.cookieName(request.port))]
    candidates.append(request.headers[Self.tokenHeader])
    if request.path.isEmpty { candidates.append(request.parameters["token"]) }
    return candidates.contains { $0.map(isToken) ?? false }
  }

  /// A request that changes something names its origin, as browsers do, or gives the token in the
  /// header: no page of another origin can.
  private func isDeliberate(_ request: AdminRequest) -> Bool {
    let isJSON = request.headers["content-type"]?.hasPrefix("application/json") == true
    return isJSON
      && (request.headers["origin"] != nil || request.headers[Self.tokenHeader] != nil)
  }

  /// Whether a text is the token, in a time independent of their first difference.
  func isToken(_ text: String) -> Bool {
    ConstantTime.areEqual(Array(text.utf8), Array(token.utf8))
  }
}
#endif
