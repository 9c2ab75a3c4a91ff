// SPDX-License-Identifier: Apache-2.0

// Access to a page that a program serves to its own machine.
//
// Invariants:
// 1. No data and no page is sent, and nothing is done, without the token: in the address of the
//    page, then in a cookie hidden from scripts, or in a header of a program.
// 2. A request with the name of another host is refused: a foreign name for this address (DNS
//    rebinding) gets nothing, even with the cookie.
// 3. A request by a page of another origin is refused, whatever it carries.

#if Tools || Server
import RealmText

/// Decides whether a request is from the person who has the address of the page.
package struct PageGuard: Sendable {
  package let token: String
  private let name: String
  private let command: String

  /// - Parameters:
  ///   - name: The name of the page in its cookie and its header.
  ///   - command: The command that prints the address.
  package init(
    name: String, command: String, random: inout some RandomNumberGenerator
  ) {
    self.name = name
    self.command = command
    token = (0..<4).map { _ in
      HexadecimalText.text(.random(in: .min ... .max, using: &random), digits: 16)
    }.joined()
  }

  /// The header with the token, for programs other than browsers.
  package var tokenHeader: String { "x-realm-\(name)-token" }

  /// The cookie of a port: a browser sends the cookies of 127.0.0.1 to all its ports.
  package func cookieName(_ port: Int) -> String { "realm-\(name)-\(port)" }

  /// The header of the answer that gives a browser its cookie.
  package func cookie(_ port: Int) -> (name: String, value: String) {
    ("Set-Cookie", "\(cookieName(port))=\(token); Path=/; HttpOnly; SameSite=Strict")
  }

  /// Checks a request.
  ///
  /// - Throws: `PageFailure` with 401 or 403.
  package func check(_ request: PageRequest) throws(PageFailure) {
    let hosts = ["127.0.0.1:\(request.port)", "localhost:\(request.port)"]
    guard let host = request.headers["host"], hosts.contains(host) else {
      throw PageFailure(
        403, "The request names another host than 127.0.0.1:\(request.port).",
        remedy: "Open the address that '\(command)' prints.")
    }
    if let origin = request.headers["origin"], origin != "http://\(host)" {
      throw PageFailure(403, "A page of '\(origin.prefix(100))' may not ask here.")
    }
    if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
      throw PageFailure(403, "A page of another site may not ask here.")
    }
    guard isKnown(request) else {
      throw PageFailure(
        401, "The token is missing or wrong.",
        remedy: "Open the address that '\(command)' prints, with all of its token "
          + "(http://127.0.0.1:\(request.port)/?token=…). It is another one after each start.")
    }
    guard request.method == "GET" || isDeliberate(request) else {
      throw PageFailure(403, "The request does not come from the page itself.")
    }
  }

  private func isKnown(_ request: PageRequest) -> Bool {
    var candidates = [request.cookie(cookieName(request.port))]
    candidates.append(request.headers[tokenHeader])
    if request.path.isEmpty { candidates.append(request.parameters["token"]) }
    return candidates.contains { $0.map(isToken) ?? false }
  }

  /// A request that changes something names its origin, as browsers do, or gives the token in the
  /// header: no page of another origin can.
  private func isDeliberate(_ request: PageRequest) -> Bool {
    let isJSON = request.headers["content-type"]?.hasPrefix("application/json") == true
    return isJSON && (request.headers["origin"] != nil || request.headers[tokenHeader] != nil)
  }

  /// Whether a text is the token, in a time independent of their first difference.
  package func isToken(_ text: String) -> Bool {
    ConstantTime.areEqual(Array(text.utf8), Array(token.utf8))
  }
}
#endif
