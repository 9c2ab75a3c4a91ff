// SPDX-License-Identifier: Apache-2.0

// Access to Studio.
//
// Invariants:
// 1. No data and no page is sent, and nothing is written, without the token: in the address of the
//    page, then in a cookie hidden from scripts, or in a header of a program.
// 2. A request with the name of another host is refused: a foreign name for this address (DNS
//    rebinding) gets nothing, even with the cookie.
// 3. A request by a page of another origin is refused, whatever it carries.

#if Tools
import RealmText

/// Decides whether a request is from the person at Studio's terminal.
struct AccessGuard: Sendable {
  /// The header with the token, for programs other than browsers.
  static let tokenHeader = "x-realm-studio-token"

  let token: String

  init(random: inout some RandomNumberGenerator) {
    token = (0..<4).map { _ in
      HexadecimalText.text(.random(in: .min ... .max, using: &random), digits: 16)
    }.joined()
  }

  /// The cookie of a port: a browser sends the cookies of 127.0.0.1 to all its ports.
  static func cookieName(_ port: Int) -> String { "realm-studio-\(port)" }

  /// Checks a request.
  ///
  /// - Throws: `StudioFailure` with 401 or 403.
  func check(_ request: StudioRequest) throws(StudioFailure) {
    let hosts = ["127.0.0.1:\(request.port)", "localhost:\(request.port)"]
    guard let host = request.headers["host"], hosts.contains(host) else {
      throw StudioFailure(
        403, "The request names another host than 127.0.0.1:\(request.port).",
        remedy: "Open the address that 'realm studio' printed.")
    }
    if let origin = request.headers["origin"], origin != "http://\(host)" {
      throw StudioFailure(403, "A page of '\(origin.prefix(100))' may not ask here.")
    }
    if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
      throw StudioFailure(403, "A page of another site may not ask here.")
    }
    guard isKnown(request) else {
      throw StudioFailure(
        401, "The token is missing or wrong.",
        remedy: "Open the address that 'realm studio' printed in its terminal, with all of its "
          + "token (http://127.0.0.1:\(request.port)/?token=…). If Studio was started again, its "
          + "address is another one.")
    }
    guard request.method == "GET" || isDeliberate(request) else {
      throw StudioFailure(403, "The request does not come from the page of Studio.")
    }
  }

  private func isKnown(_ request: StudioRequest) -> Bool {
    var candidates = [request.cookie(Self.cookieName(request.port))]
    candidates.append(request.headers[Self.tokenHeader])
    if request.path == "/" { candidates.append(request.parameters["token"]) }
    return candidates.contains { $0.map(isToken) ?? false }
  }

  /// A writing request names its origin, as browsers do, or gives the token in the header: no page
  /// of another origin can.
  private func isDeliberate(_ request: StudioRequest) -> Bool {
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
