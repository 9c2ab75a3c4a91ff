// SPDX-License-Identifier: Apache-2.0

// A page of a test, without sockets.

#if Tools || Server
import RealmFormats
import RealmTestSupport

@testable import RealmPages

/// A page with one file, which answers each other request with its method and its path.
struct TestPage: PageService {
  static let port = 4_711

  let access: PageGuard
  let bodyByteCountMax = 100
  private let files = PageFiles(["index.html": "<p>a page</p>", "app.js": "start()"])

  init() {
    var random = SeededGenerator(seed: 1)
    access = PageGuard(name: "test", command: "realm test", random: &random)
  }

  func answer(_ request: PageRequest) async -> PageResponse {
    guard request.method == "GET", var page = files.response(request.path) else {
      return PageResponse(.string("\(request.method) \(request.pathText)"))
    }
    if request.path.isEmpty { page.headers.append(access.cookie(request.port)) }
    return page
  }

  func refuse(_ request: PageRequest, _ failure: PageFailure) -> PageResponse {
    PageResponse(failure)
  }

  /// A request as a browser sends it for the page.
  func request(_ method: String, _ target: String, _ body: [UInt8] = []) -> PageRequest {
    var headers = [
      "host": "127.0.0.1:\(Self.port)",
      "cookie": "other=1; \(access.cookieName(Self.port))=\(access.token)",
      "sec-fetch-site": "same-origin",
    ]
    if method != "GET" {
      headers["origin"] = "http://127.0.0.1:\(Self.port)"
      headers["content-type"] = "application/json"
    }
    return PageRequest(method, target, headers: headers, body: body, port: Self.port)
  }

  /// The status of the answer to a request that is changed before it is sent.
  func status(
    _ method: String, _ target: String, _ change: (inout PageRequest) -> Void = { _ in }
  ) async -> Int {
    var request = request(method, target)
    change(&request)
    return await respond(to: request).status
  }
}
#endif
