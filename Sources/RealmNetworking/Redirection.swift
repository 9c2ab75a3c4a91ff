// SPDX-License-Identifier: Apache-2.0

// The next request after a redirection.
//
// Invariants:
// 1. Encrypted requests are never sent again in the clear.
// 2. A body is sent again to the same scheme, host and port alone, and so is a token.

#if Sync
import RealmSyncProtocol

/// Follows answers with the status 301, 302, 303, 307 or 308.
enum Redirection {
  static let countMax = 5

  /// The redirected request; nil without a redirection.
  static func next(
    after request: HTTPRequest, _ answer: HTTPResponse
  ) throws(AppFailure) -> HTTPRequest? {
    guard [301, 302, 303, 307, 308].contains(answer.status),
      let place = answer[header: "Location"], let old = SocketURL(request.url)
    else { return nil }
    var next = request
    next.url = url(place, from: request.url, old)
    guard let new = SocketURL(next.url), next.url.lowercased().hasPrefix("http") else {
      throw .transport("The server moves the request to an address that is none.")
    }
    guard new.isSecure || !old.isSecure else {
      throw .transport("The server moves the request from https to http, which would expose it.")
    }
    if answer.status == 303 || (answer.status < 303 && request.method == .post) {
      next.method = .get
      next.body = []
    }
    let isSamePlace = (new.isSecure, new.host, new.port) == (old.isSecure, old.host, old.port)
    guard isSamePlace || next.body.isEmpty else {
      throw .transport("The server moves a request with its content to another host.")
    }
    if !isSamePlace { next.headers.removeAll { $0.name.lowercased() == "authorization" } }
    return next
  }

  /// The absolute address of a possibly relative one.
  private static func url(_ place: String, from text: String, _ url: SocketURL) -> String {
    let scheme = url.isSecure ? "https:" : "http:"
    if place.hasPrefix("//") { return scheme + place }
    if place.hasPrefix("/") { return scheme + "//" + url.authority + place }
    return place
  }
}
#endif
