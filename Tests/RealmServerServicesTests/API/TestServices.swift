// SPDX-License-Identifier: Apache-2.0

// The services of logins in memory: addresses that a test answers, and signatures without secrecy.

#if Server
import RealmFormats
import RealmServerServices
import RealmStorage
import RealmSyncProtocol
import RealmText

/// Answers requests by their addresses, and keeps them.
final class TestServices: HTTPTransport {
  typealias Answer = @Sendable (HTTPRequest) async throws(AppFailure) -> HTTPResponse

  private let answers = Locked<[String: Answer]>([:])
  let requests = Locked<[HTTPRequest]>([])

  func set(_ url: String, _ answer: @escaping Answer) { answers.withLock { $0[url] = answer } }

  func set(_ url: String, status: Int = 200, _ text: String) {
    set(url) { _ throws(AppFailure) in HTTPResponse(status: status, body: Array(text.utf8)) }
  }

  func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    requests.withLock { $0.append(request) }
    guard let answer = answers.withLock({ $0[request.url] }) else {
      throw .transport("nobody answers")
    }
    return try await answer(request)
  }
}

/// A plain stand-in for a cryptographic library: whoever has a key signs with it.
struct PlainCryptography: LoginCryptography {
  func digest(of message: [UInt8]) -> [UInt8] { PlainSigner(key: 1).signature(of: message) }

  func signature(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    PlainSigner(key: 2).signature(of: key + message)
  }

  func isSigned(
    _ token: String, by key: VerificationKey, _ algorithm: SigningAlgorithm
  ) -> Bool {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    let message = parts.prefix(2).joined(separator: ".")
    return Base64.decode(String(parts[2])) == Self.signature(message, key, algorithm)
  }

  func isUsable(_ key: VerificationKey, _ algorithm: SigningAlgorithm) -> Bool {
    if case .pem(let text) = key { text.hasPrefix("PEM") } else { true }
  }

  private static func signature(
    _ message: String, _ key: VerificationKey, _ algorithm: SigningAlgorithm
  ) -> [UInt8] {
    let text =
      switch key {
      case .secret(let bytes): String(decoding: bytes, as: UTF8.self)
      case .pem(let text): text
      case .jwk(let json):
        (try? JSONParser.parse(json)).flatMap { ($0["n"] ?? $0["x"])?.string } ?? ""
      }
    return PlainSigner(key: 3).signature(of: Array((algorithm.rawValue + text + message).utf8))
  }

  /// A token that the holder of a key has made.
  static func token(
    _ claims: String, _ key: VerificationKey, _ algorithm: SigningAlgorithm = .rs256,
    header: String? = nil, id: String? = nil
  ) -> String {
    let header =
      header ?? "{\"alg\":\"\(algorithm.rawValue)\"\(id.map { ",\"kid\":\"\($0)\"" } ?? "")}"
    let message = [header, claims].map { encoded(Array($0.utf8)) }.joined(separator: ".")
    return message + "." + encoded(signature(message, key, algorithm))
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_")
      .filter { $0 != "=" }
  }
}
#endif
