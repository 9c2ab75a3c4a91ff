// SPDX-License-Identifier: Apache-2.0

// A session of a deployed app: one file, its cursors and its messages (P1 C and P1 D).

#if Server
import TestExtensions
import Testing

/// A file with its session. All messages are spelled out, and all that come are checked.
final class DeployedSession {
  let socket: DeployedSocket
  let number: Int
  let isFlexible: Bool
  private(set) var salt = ""
  private(set) var rules: DownloadRules
  /// The last UPLOAD's cursor.
  private var uploaded = 0
  private var lastMark = 0
  private(set) var query = "{}"

  /// - Parameter number: The number of the session on its connection.
  init(_ socket: DeployedSocket, number: Int = 1, isFlexible: Bool = true) {
    self.socket = socket
    self.number = number
    self.isFlexible = isFlexible
    rules = DownloadRules(isFlexible: isFlexible)
  }

  /// A session that goes on with the file of an earlier one.
  init(_ socket: DeployedSocket, resuming other: DeployedSession) {
    self.socket = socket
    number = 1
    isFlexible = other.isFlexible
    (salt, rules, uploaded, query) = (other.salt, other.rules, other.uploaded, other.query)
    rules.restart()
  }

  var ident: Int { rules.ident }

  // MARK: The beginning

  /// Sends BIND for a new file, and takes its IDENT.
  func bind() async throws {
    try await sendBind(needsIdent: true)
    let parts = try await socket.text(like: "ident \(number) * *\n")
    rules.ident = try #require(Int(parts[0]))
    salt = parts[1]
  }

  func sendBind(needsIdent: Bool) async throws {
    let need = needsIdent ? 1 : 0
    try await socket.send(
      isFlexible
        ? "bind \(number) 37 0 \(need) 0\n{\"schemaVersion\":0,\"sessionReason\":0}"
        : "bind \(number) 6 0 \(need) 0\n\"home\"")
  }

  /// Sends IDENT with what is known of the file.
  func sendIdent(salt other: String? = nil) async throws {
    let last = rules.last
    let latest = "\(last?.latestServer ?? 0) \(last?.latestSalt ?? 0)"
    var text = "ident \(number) \(ident) \(other ?? salt) \(rules.server) \(rules.client) \(latest)"
    if isFlexible { text += " \(rules.activeQuery) \(query.utf8.count)" }
    try await socket.send(text + "\n" + (isFlexible ? query : ""))
  }

  /// Begins with a new file, and takes the first DOWNLOADs up to the answer of a MARK.
  func begin() async throws {
    try await bind()
    try await sendIdent()
    let downloads = try await mark()
    expectFalse(downloads.isEmpty, "C.4 6: a DOWNLOAD follows IDENT")
  }

  /// Goes on with a file, and takes the DOWNLOADs up to the answer of a MARK.
  @discardableResult
  func resume() async throws -> [DeployedDownload] {
    try await sendBind(needsIdent: false)
    try await sendIdent()
    let downloads = try await mark()
    expectFalse(downloads.isEmpty, "C.4 6: a DOWNLOAD follows IDENT")
    return downloads
  }

  // MARK: Messages

  /// The next message, which has to be a DOWNLOAD that breaks no rule.
  func download() async throws -> DeployedDownload {
    let message = try await socket.receive()
    let text = String(decoding: message.prefix(200), as: UTF8.self)
    return try #require(try take(message), "\(text)")
  }

  /// Checks a DOWNLOAD; nil if the message is not one.
  private func take(_ message: [UInt8]) throws -> DeployedDownload? {
    guard let download = try DeployedDownload(message, isFlexible: isFlexible) else { return nil }
    expectEqual(download.session, number)
    let broken = rules.take(download)
    let head = String(decoding: message.prefix(100), as: UTF8.self)
    expectTrue(broken.isEmpty, "rules \(broken.sorted()) of C.4: \(head)")
    return download
  }

  /// Sends MARK, and returns the DOWNLOADs that come before its answer.
  @discardableResult
  func mark() async throws -> [DeployedDownload] {
    try await sendMark()
    var downloads: [DeployedDownload] = []
    while true {
      let message = try await socket.receive()
      if let download = try take(message) {
        downloads.append(download)
      } else {
        let text = String(decoding: message, as: UTF8.self)
        try #require(text == "mark \(number) \(lastMark)\n", "\(text)")
        return downloads
      }
    }
  }

  func sendMark() async throws {
    lastMark += 1
    try await socket.send("mark \(number) \(lastMark)\n")
  }

  /// Sends QUERY.
  func sendQuery(_ version: Int, _ text: String) async throws {
    rules.queries.insert(version)
    query = text
    try await socket.send("query \(number) \(version) \(text.utf8.count)\n\(text)")
  }

  /// Sends one changeset, of the client's next version, as UPLOAD without compression.
  func upload(_ changeset: [UInt8]) async throws {
    rules.clientVersion += 2
    uploaded = rules.clientVersion
    let stamp = 300_000_000_000 + uploaded
    let head = "\(uploaded) \(rules.server) \(stamp) 0 \(changeset.count) "
    let size = head.utf8.count + changeset.count
    let cursor = "\(uploaded) \(rules.server) \(rules.server)"
    try await socket.send(
      "upload \(number) 0 \(size) 0 \(cursor)\n\(head)", changeset)
  }

  /// Takes DOWNLOADs until one acknowledges all that was sent.
  func waitForUpload() async throws {
    while rules.last?.uploadClient ?? 0 < uploaded { _ = try await download() }
  }

  /// Notes versions of the client that a test has made itself.
  func setClientVersion(_ version: Int) {
    rules.clientVersion = version
    uploaded = version
  }
}
#endif
