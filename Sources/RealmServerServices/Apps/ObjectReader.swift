// SPDX-License-Identifier: Apache-2.0

// A JSON object of `app.json`, read strictly.

#if Server
import RealmFormats
import RealmServerEngine

/// Reads the members of an object. Unknown and repeated keys are errors.
struct ObjectReader {
  let name: String
  let path: [JSONStep]
  let support: AppFileSupport
  private let members: [JSONMember]

  /// - Parameters:
  ///   - name: The key of the object.
  ///   - keys: The known keys.
  init(
    _ json: JSONValue, _ name: String, at path: [JSONStep], keys: Set<String>,
    _ support: AppFileSupport
  ) throws(AppFileError) {
    guard case .object(let members) = json else {
      throw AppFileError("needs \"\(name)\" as an object", at: path)
    }
    var found: Set<String> = []
    for member in members {
      guard found.insert(member.key).inserted else {
        throw AppFileError("has the key \"\(member.key)\" twice", at: path + [.key(member.key)])
      }
      guard keys.contains(member.key) else {
        throw AppFileError(
          "has the unknown key \"\(member.key)\" in \"\(name)\"" + Self.known(keys),
          at: path + [.key(member.key)])
      }
    }
    self.name = name
    self.path = path
    self.members = members
    self.support = support
  }

  /// The keys that there are, as the end of an error about another one.
  static func known(_ keys: Set<String>) -> String {
    let names = keys.sorted()
    guard let last = names.last else { return ", which has none" }
    guard names.count > 1 else { return ": there is \(last)" }
    return ": there are " + names.dropLast().joined(separator: ", ") + " and " + last
  }

  subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  /// An error about the value of a key.
  func error(_ key: String, _ message: String) -> AppFileError {
    AppFileError(message, at: path + [.key(key)])
  }

  /// The error of an object without a key.
  func missing(_ key: String) -> AppFileError {
    AppFileError("needs a \"\(key)\" in \"\(name)\"", at: path)
  }

  func text(_ key: String) throws(AppFileError) -> String? {
    guard let value = self[key] else { return nil }
    guard let text = value.string, !text.isEmpty else {
      throw error(key, "has a \"\(key)\" that is no text")
    }
    return text
  }

  func choice<T: CaseIterable & RawRepresentable<String>>(
    _ key: String, _ type: T.Type
  ) throws(AppFileError) -> T? {
    guard let value = self[key] else { return nil }
    guard let choice = value.string.flatMap({ T(rawValue: $0) }) else {
      let names = T.allCases.map(\.rawValue).joined(separator: ", ")
      throw error(key, "has a \"\(key)\" that is not one of \(names)")
    }
    return choice
  }

  func flag(_ key: String) throws(AppFileError) -> Bool? {
    guard let value = self[key] else { return nil }
    guard let flag = value.bool else { throw error(key, "has a \"\(key)\" that is no truth value") }
    return flag
  }

  func integer(_ key: String, in range: ClosedRange<Int>) throws(AppFileError) -> Int? {
    guard let value = self[key] else { return nil }
    guard let number = value.integer.flatMap({ Int(exactly: $0) }), range.contains(number) else {
      throw error(key, "needs \"\(key)\" from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A text, or an array of texts.
  func texts(_ key: String) throws(AppFileError) -> [String]? {
    guard let value = self[key] else { return nil }
    let texts = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
    let count = value.string == nil ? value.array?.count ?? 0 : 1
    guard count > 0, texts.count == count, !texts.contains("") else {
      throw error(key, "has a \"\(key)\" that is neither a text nor an array of texts")
    }
    return texts
  }

  /// A secret: a text, or the name of a file with it.
  func secret(_ key: String) throws(AppFileError) -> Secret? {
    guard let value = self[key] else { return nil }
    if let text = value.string, !text.isEmpty { return Secret(text) }
    guard case .object(let members) = value, members.count == 1, members[0].key == "file",
      let file = members[0].value.string
    else { throw error(key, "has a \"\(key)\" that is neither a text nor {\"file\":…}") }
    guard let bytes = support.contents(file), !bytes.isEmpty else {
      throw error(key, "has a \"\(key)\" in the file \(file), which cannot be read or is empty")
    }
    var text = String(decoding: bytes, as: UTF8.self)
    while text.last?.isNewline == true { text.removeLast() }
    return Secret(text, file: file)
  }

  /// The keys of signatures are no shorter.
  private static let secretByteCountMin = 32

  /// Checks that a key of signatures cannot be guessed.
  func checkLength(_ secret: Secret, _ key: String) throws(AppFileError) {
    guard secret.bytes.count >= Self.secretByteCountMin else {
      throw error(
        key, "has a \"\(key)\" that is shorter than \(Self.secretByteCountMin) bytes")
    }
  }

  /// The members "webhook" and "secret".
  func webhook() throws(AppFileError) -> Webhook {
    guard let url = try address("webhook") else { throw missing("webhook") }
    guard let secret = try secret("secret") else { throw missing("secret") }
    try checkLength(secret, "secret")
    return Webhook(url: url, secret: secret)
  }

  /// An address that requests may go to: with https, or of this machine.
  func address(_ key: String) throws(AppFileError) -> String? {
    guard let text = try text(key) else { return nil }
    let isPlain = text.unicodeScalars.allSatisfy { ("!"..."~").contains($0) }
    let host = Self.host(of: text)
    let isLocal =
      text.hasPrefix("http://") && ["localhost", "127.0.0.1", "[::1]"].contains(host)
    guard isPlain, isLocal || (text.hasPrefix("https://") && !host.isEmpty) else {
      throw error(
        key,
        "has a \"\(key)\" that does not begin with https:// (http:// is for this machine alone)")
    }
    return text
  }

  /// The host of an address, without its port.
  private static func host(of url: String) -> String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
    let authority = url[start...].prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else { return "" }
    if authority.hasPrefix("[") {
      return String(authority.prefix { $0 != "]" }) + (authority.contains("]") ? "]" : "")
    }
    return String(authority.prefix { $0 != ":" })
  }
}
#endif
