// SPDX-License-Identifier: Apache-2.0

// The keys that providers of tokens publish as JSON Web Key Sets (RFC 7517).
//
// Rules:
// 1. A set is fetched by one call at a time, whose result all waiting logins share.
// 2. A set is used for an hour. A token with an unknown key has it fetched before that, but not
//    more often than every 30 seconds: made-up names of keys cost the provider nothing.
// 3. While a provider does not answer, its last set is used for a day.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol

/// Fetches published keys, and keeps them.
final class PublishedKeys: Sendable {
  /// The most bytes and keys of a set.
  private static let byteCountMax = 256 << 10
  private static let keyCountMax = 100
  /// All times are in milliseconds.
  private static let lifetime: Milliseconds = 3_600_000
  private static let pause: Milliseconds = 30_000
  private static let spareLifetime: Milliseconds = 24 * 3_600_000
  private static let timeout: Milliseconds = 10_000

  private struct KeySet {
    var keys: [PublishedKey] = []
    /// The time of the last answer; nil if there was none.
    var answered: Milliseconds?
    /// The time of the last attempt; nil if there was none.
    var tried: Milliseconds?
    var attempt: Task<[PublishedKey]?, Never>?

    /// The age of a time. A clock that was set back makes it old.
    static func age(_ time: Milliseconds?, _ now: Milliseconds) -> Milliseconds {
      guard let time, time <= now else { return .max }
      return now - time
    }
  }

  private let transport: any HTTPTransport
  private let sets = Locked<[String: KeySet]>([:])

  init(_ transport: any HTTPTransport) { self.transport = transport }

  /// The published keys of an address that a token may have been signed with.
  ///
  /// - Parameters:
  ///   - id: The name of the key; nil for all keys.
  ///   - now: The time in milliseconds.
  /// - Throws: `AccountError.providerFailed` if the provider does not answer and no set is kept.
  func keys(
    _ id: String?, _ algorithm: SigningAlgorithm, at url: String, now: Milliseconds
  ) async throws(AccountError) -> [PublishedKey] {
    let known = sets.withLock { $0[url] ?? KeySet() }
    let found = Self.matching(known.keys, id, algorithm)
    if !found.isEmpty, KeySet.age(known.answered, now) < Self.lifetime { return found }
    guard KeySet.age(known.tried, now) >= Self.pause || known.attempt != nil else {
      return try spare(found, known, now, url)
    }
    guard let keys = await fetch(url, now) else { return try spare(found, known, now, url) }
    return Self.matching(keys, id, algorithm)
  }

  private func spare(
    _ found: [PublishedKey], _ known: KeySet, _ now: Milliseconds, _ url: String
  ) throws(AccountError) -> [PublishedKey] {
    guard KeySet.age(known.answered, now) < Self.spareLifetime else {
      throw .providerFailed("the keys at \(url) cannot be fetched")
    }
    return found
  }

  private static func matching(
    _ keys: [PublishedKey], _ id: String?, _ algorithm: SigningAlgorithm
  ) -> [PublishedKey] {
    keys.filter { key in
      (id == nil || key.id == id) && key.fits(algorithm)
    }
  }

  /// The set of an address; nil if it cannot be had.
  private func fetch(_ url: String, _ now: Milliseconds) async -> [PublishedKey]? {
    let attempt = sets.withLock { sets in
      if let attempt = sets[url]?.attempt { return attempt }
      let attempt = Task { await self.request(url, now) }
      sets[url, default: KeySet()].attempt = attempt
      sets[url]?.tried = now
      return attempt
    }
    return await attempt.value
  }

  private func request(_ url: String, _ now: Milliseconds) async -> [PublishedKey]? {
    let answer = try? await transport.send(
      HTTPRequest(
        .get, url: url, headers: [HTTPHeader("Accept", "application/json")],
        timeout: Self.timeout, followsRedirections: false))
    let keys = answer.flatMap { $0.status == 200 ? Self.read($0.body) : nil }
    sets.withLock { sets in
      sets[url]?.attempt = nil
      guard let keys else { return }
      sets[url]?.keys = keys
      sets[url]?.answered = now
    }
    return keys
  }

  /// The keys of a set. Keys of unknown kinds are left out; nil for other texts.
  static func read(_ bytes: [UInt8]) -> [PublishedKey]? {
    guard bytes.count <= byteCountMax, let json = try? JSONParser.parse(bytes),
      let keys = json["keys"]?.array, keys.count <= keyCountMax
    else { return nil }
    return keys.compactMap { PublishedKey($0) }
  }
}

/// A key of a set.
struct PublishedKey: Hashable, Sendable {
  /// Nil if the key has no name.
  let id: String?
  private let type: String
  private let curve: String?
  private let algorithm: String?
  private let json: JSONValue

  /// Nil for a key that does not check signatures.
  init?(_ json: JSONValue) {
    guard case .object = json, let type = json["kty"]?.string,
      (json["use"]?.string ?? "sig") == "sig"
    else { return nil }
    self.type = type
    self.json = json
    id = json["kid"]?.string
    curve = json["crv"]?.string
    algorithm = json["alg"]?.string
  }

  /// Whether the key is one for an algorithm. A secret is never published.
  func fits(_ algorithm: SigningAlgorithm) -> Bool {
    guard self.algorithm == nil || self.algorithm == algorithm.rawValue else { return false }
    return switch algorithm {
    case .hs256: false
    case .rs256: type == "RSA"
    case .es256: type == "EC" && curve == "P-256"
    }
  }

  /// The public members of the key.
  var verification: VerificationKey {
    let members = ["kty", "crv", "x", "y", "n", "e"].compactMap { key in
      json[key].map { JSONMember(key, $0) }
    }
    return .jwk(JSONWriter.text(.object(members + [JSONMember("kid", .string(id ?? "key"))])))
  }
}
#endif
