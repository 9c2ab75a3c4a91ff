// SPDX-License-Identifier: Apache-2.0

// Requests to app servers, and those that follow a redirection.
//
// Invariants:
// 1. Encrypted requests are never sent again in the clear.
// 2. A body is sent again to the same scheme, host and port alone, and so is a token.

#if Sync
package import AsyncHTTPClient
import NIOCore
import NIOHTTP1
package import NIOSSL
package import RealmSyncProtocol

/// Sends requests with AsyncHTTPClient, and follows harmless redirections.
package struct ClientTransport: HTTPTransport {
  /// The requests of apps, with the trusted certificates of the system.
  package static let shared = ClientTransport(HTTPClient(configuration: configuration()))

  /// The requests of a server to services of its operator, whose answers are small.
  package static let services = ClientTransport(
    HTTPClient(configuration: configuration()), answerByteCountMax: 256 << 10)

  /// The calls of functions that are webhooks. Who calls checks the size of the answer.
  package static let webhooks = ClientTransport(services.client, answerByteCountMax: 5 << 20)

  private let client: HTTPClient
  private let isProxied: Bool
  private let answerByteCountMax: Int

  package init(_ client: HTTPClient, answerByteCountMax: Int = 64 << 20) {
    self.client = client
    self.answerByteCountMax = answerByteCountMax
    isProxied = false
  }

  /// Requests of a route of their own. They keep a client as long as the process lives.
  package init(_ route: NetworkRoute) throws(AppFailure) {
    var configuration = Self.configuration(try route.tls())
    configuration.proxy = route.proxy?.configuration
    if route.proxy != nil {
      configuration.http1_1ConnectionDebugInitializer = { ProxyCertificateError.check($0) }
      configuration.http2ConnectionDebugInitializer = { ProxyCertificateError.check($0) }
    }
    client = HTTPClient(configuration: configuration)
    answerByteCountMax = 64 << 20
    isProxied = route.proxy != nil
  }

  /// The settings of apps: a missing server is an error at once.
  package static func configuration(_ tls: TLSConfiguration? = nil) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.connectionPool.retryConnectionEstablishment = false
    // It would send bodies to other hosts again, and in the clear.
    configuration.redirectConfiguration = .disallow
    return configuration
  }

  package func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    var request = request
    for _ in 0..<Redirection.countMax {
      let answer = try await sendOnce(request)
      guard request.followsRedirections else { return answer }
      guard let next = try Redirection.next(after: request, answer) else { return answer }
      request = next
    }
    throw .transport("The server moves the request too often.")
  }

  nonisolated(nonsending)
    package func stream(
      _ request: HTTPRequest, head: (HTTPResponse) async -> Bool, part: ([UInt8]) async -> Bool
    ) async throws(AppFailure)
  {
    let message = try message(of: request)
    do {
      let answer = try await client.execute(message, deadline: .distantFuture)
      guard await head(Self.response(answer, body: [])) else { return }
      for try await buffer in answer.body {
        guard await part(Array(buffer: buffer)) else { return }
      }
    } catch {
      if error is CancellationError || Task.isCancelled { throw .cancelled }
      throw .transport(Self.text(error, request.url))
    }
  }

  private func message(of request: HTTPRequest) throws(AppFailure) -> HTTPClientRequest {
    if isProxied, SocketURL(request.url)?.isUncheckedByProxies == true {
      throw .invalidCall(SocketURL.uncheckedByProxies)
    }
    var message = HTTPClientRequest(url: request.url)
    message.method = HTTPMethod(rawValue: request.method.rawValue)
    for header in request.headers { message.headers.add(name: header.name, value: header.value) }
    if !request.body.isEmpty { message.body = .bytes(request.body) }
    return message
  }

  private static func response(_ answer: HTTPClientResponse, body: [UInt8]) -> HTTPResponse {
    HTTPResponse(
      status: Int(answer.status.code),
      headers: answer.headers.map { HTTPHeader($0.name, $0.value) }, body: body)
  }

  private func sendOnce(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    let message = try message(of: request)
    do {
      let answer = try await client.execute(
        message, timeout: .milliseconds(Int64(clamping: request.timeout)))
      let body = try await answer.body.collect(upTo: answerByteCountMax)
      return Self.response(answer, body: Array(buffer: body))
    } catch {
      if error is CancellationError || Task.isCancelled { throw .cancelled }
      throw .transport(Self.text(error, request.url))
    }
  }

  private static func text(_ error: any Error, _ url: String) -> String {
    let server = origin(of: url)
    return switch error as? HTTPClientError {
    case .deadlineExceeded?, .connectTimeout?, .readTimeout?:
      "The server at \(server) did not answer in time."
    default: "The server at \(server) could not be reached: \(ErrorText.cause(of: error))."
    }
  }

  /// Scheme, host and port of an address.
  private static func origin(of url: String) -> Substring {
    guard let scheme = url.firstRange(of: "://") else { return url[...] }
    let end = url[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    return url[..<end]
  }
}

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
