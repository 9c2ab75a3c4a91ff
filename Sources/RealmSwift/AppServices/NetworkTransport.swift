// SPDX-License-Identifier: Apache-2.0

// Transports of programs' own.

#if Sync
import RealmStorage
import RealmSyncProtocol

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The method of a request. The names are those of the protocol.
public enum RLMHTTPMethod: UInt, Sendable {
  /// Reads something.
  case GET = 0
  /// Sends something.
  case POST
  /// Changes something.
  case PATCH
  /// Puts something in place of what is there.
  case PUT
  /// Removes something.
  case DELETE
}

/// A request to an app's server.
public final class RLMRequest {
  /// The method.
  public var method = RLMHTTPMethod.GET
  /// The address.
  public var url = ""
  /// The header fields.
  public var headers: [String: String] = [:]
  /// The body.
  public var body = ""
  /// How long the answer may take, in seconds.
  public var timeout = 60.0

  /// A request to be filled.
  public init() {}
}

/// The answer to a request.
public final class RLMResponse {
  /// The status; 0 if there was no answer.
  public var httpStatusCode = 0
  /// A code of the transport for requests without an answer; 0 for none.
  public var customStatusCode = 0
  /// The header fields.
  public var headers: [String: String] = [:]
  /// The body.
  public var body = ""

  /// An answer to be filled.
  public init() {}
}

/// A block that gets the answer to a request.
public typealias RLMNetworkTransportCompletionBlock = @Sendable (RLMResponse) -> Void

/// Carries the requests of an app's client in place of the library's own networking.
///
/// Thread-safe: requests are sent from any thread, several at a time.
public protocol RLMNetworkTransportProtocol: AnyObject {
  /// Sends a request, and calls `completion` once with the answer, on any thread.
  func sendRequest(
    toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock)
}

/// Carries requests with the library's own networking. A subclass looks at them, changes them, or
/// answers them itself.
///
/// ```swift
/// final class Counted: RLMNetworkTransport {
///   let count = Mutex(0)
///
///   override func sendRequest(
///     toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock
///   ) {
///     count.withLock { $0 += 1 }
///     super.sendRequest(toServer: request, completion: completion)
///   }
/// }
/// ```
open class RLMNetworkTransport: RLMNetworkTransportProtocol {
  /// A transport that does what the library does without one.
  public init() {}

  /// Sends a request, and calls `completion` once with the answer, on any thread. Without an answer
  /// the status is 0, `customStatusCode` is not, and the body says why.
  open func sendRequest(
    toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock
  ) {
    let (sent, transport) = (HTTPRequest(request), Networking(NetworkSettings()).transport)
    Task {
      do throws(AppFailure) {
        completion(RLMResponse(try await transport.send(sent)))
      } catch {
        let response = RLMResponse()
        response.customStatusCode = 1
        response.body = "\(error)"
        completion(response)
      }
    }
  }
}

extension HTTPRequest {
  fileprivate init(_ request: RLMRequest) {
    let method: HTTPRequest.Method =
      switch request.method {
      case .GET: .get
      case .POST: .post
      case .PATCH: .patch
      case .PUT: .put
      case .DELETE: .delete
      }
    let seconds = request.timeout.isNaN ? 60 : min(max(request.timeout, 0), 86_400)
    self.init(
      method, url: request.url,
      headers: request.headers.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) },
      body: Array(request.body.utf8), timeout: Milliseconds(seconds * 1000))
  }
}

extension RLMResponse {
  fileprivate convenience init(_ response: HTTPResponse) {
    self.init()
    httpStatusCode = response.status
    for header in response.headers { headers[header.name] = header.value }
    body = String(decoding: response.body, as: UTF8.self)
  }
}

/// A program's transport, as an app's client uses it.
struct CustomTransport: HTTPTransport, @unchecked Sendable {
  // Sendable: `RLMNetworkTransportProtocol` requires thread-safe implementations.
  private let transport: any RLMNetworkTransportProtocol

  init(_ transport: any RLMNetworkTransportProtocol) { self.transport = transport }

  func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    let response = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<HTTPResponse, AppFailure>, Never>) in
      let sent = RLMRequest()
      sent.method =
        switch request.method {
        case .get: .GET
        case .post: .POST
        case .patch: .PATCH
        case .put: .PUT
        case .delete: .DELETE
        }
      sent.url = request.url
      for header in request.headers { sent.headers[header.name] = header.value }
      sent.body = String(decoding: request.body, as: UTF8.self)
      sent.timeout = Double(request.timeout) / 1000
      // A second call of the transport has no effect.
      let pending = Locked<CheckedContinuation<Result<HTTPResponse, AppFailure>, Never>?>(
        continuation)
      transport.sendRequest(toServer: sent) { response in
        let continuation = pending.withLock { pending in
          defer { pending = nil }
          return pending
        }
        continuation?.resume(returning: Self.answer(response))
      }
    }
    return try response.get()
  }

  private static func answer(_ response: RLMResponse) -> Result<HTTPResponse, AppFailure> {
    if response.httpStatusCode == 0, response.customStatusCode != 0 {
      let text = response.body.isEmpty ? "code \(response.customStatusCode)" : response.body
      return .failure(.transport("The transport failed: \(text)"))
    }
    return .success(
      HTTPResponse(
        status: response.httpStatusCode,
        headers: response.headers.map { HTTPHeader($0.key, $0.value) },
        body: Array(response.body.utf8)))
  }
}
#endif
