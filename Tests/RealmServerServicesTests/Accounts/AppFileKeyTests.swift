// SPDX-License-Identifier: Apache-2.0

// Every key that the readers of `app.json` know is written again: a setting that the reader or the
// writer forgets would be lost when a program or the server's page writes the file.

#if Server
import RealmFormats
import RealmServerEngine
import TestExtensions
import Testing

@testable import RealmServerServices

struct AppFileKeyTests {
  private static let secret = String(repeating: "s", count: 32)

  /// Files that have every key together, with other values than the usual ones: where keys exclude
  /// each other, each file has one of them.
  private static let files = [
    """
    {"id":"a","name":"A","mode":"production","sync":"flexible","values":{"admins":["x"]},
    "roles":{
      "default":[{"name":"r","apply_when":{"%%user.id":"x"},"read":true,"write":true,
        "insert":true,"delete":true,"search":true,
        "document_filters":{"read":{"owner":"%%user.id"},"write":{"owner":"%%user.id"}},
        "fields":{"field":{"fields":{"field":{"read":true,"write":true}},
          "additional_fields":{"read":true,"write":false}}},
        "additional_fields":{"read":true,"write":false}}],
      "classes":{"Todo":[{"name":"s","apply_when":{},"read":true}]}},
    "custom_user_data":{"class":"Person","user_id_field":"user"},
    "documents":{"service":"data"},
    "providers":{
      "anon-user":{},"api-key":{},
      "local-userpass":{"confirm":"function","confirm_function":"known","reset":"function",
        "reset_function":{"webhook":"https://x.org/r","secret":"\(secret)"}},
      "custom-function":{"function":"known"},
      "custom-token":{"algorithm":"RS256","keys":[{"id":"k","public_key":"PEM"}],"issuer":["i"],
        "audience":["b"],"require_any_audience":false,
        "metadata_fields":[{"name":"a","field_name":"b","required":true}]},
      "oauth2-apple":{"client_ids":["c"],"jwks_url":"https://x.org/a"},
      "oauth2-google":{"client_ids":["c"],"jwks_url":"https://x.org/g",
        "codes":{"client_id":"c","client_secret":"s","redirect_uri":"https://x.org",
          "token_url":"https://x.org/t"}},
      "oauth2-facebook":{"app_id":"7","app_secret":"s","graph_url":"https://x.org/f"}},
    "mail":{"from":"a@x.org","confirm_url":"https://x.org/c","reset_url":"https://x.org/r",
      "confirm_subject":"C","reset_subject":"R",
      "smtp":{"host":"h","port":2525,"security":"tls","user":"u","password":"p"}},
    "tokens":{"accessMinutes":5,"refreshDays":7},
    "functions":[{"name":"f","webhook":"https://x.org/f","secret":"\(secret)","timeout":5,
      "can_evaluate":{"%%user.type":"server"},"private":true}],
    "triggers":[
      {"name":"t","type":"database","function":"f","disabled":true,"attempts":3,
        "on_failure":"skip","skip_catchup_events":true,"tolerate_resume_errors":true,
        "database":"db","collection":"Todo","operation_types":["insert"],
        "match":{"fullDocument.n":3},"full_document":false,"full_document_before_change":true,
        "unordered":true},
      {"name":"u","type":"authentication","function":"f","operation_type":"login",
        "providers":["anon-user"]},
      {"name":"v","type":"scheduled","function":"f","schedule":"0 3 * * *"}],
    "push":[{"service":"s","webhook":"https://x.org/p","secret":"\(secret)"}],
    "allowed_origins":["https://x.org"]}
    """,
    """
    {"id":"a","mode":"production","sync":"partition",
    "permissions":{"read":{"%%partition":"p"},"write":{"%%user.id":"x"}},
    "custom_user_data":{"class":"Person","user_id_field":"user","partition":"p"},
    "documents":{"service":"data","partition_key":"part"},
    "providers":{
      "custom-function":{"function":{"webhook":"https://x.org/r","secret":"\(secret)"}},
      "custom-token":{"algorithm":"HS256","keys":[{"id":"k","secret":"\(secret)"}]}},
    "mail":{"webhook":"https://x.org/m","secret":"\(secret)"}}
    """,
    """
    {"id":"a","providers":{
      "custom-token":{"algorithm":"ES256","jwks_url":"https://x.org/k"}}}
    """,
  ]

  /// What the writer leaves out: the server has no search, so the reader checks it alone.
  private static let unwritten = ["a role": Set(["search"])]

  /// The objects whose keys are known ones, and no names of the app.
  private static let objects: Set<String> = [
    "the file", "roles", "a role", "document_filters", "field", "additional_fields",
    "permissions", "custom_user_data", "documents", "providers",
    "local-userpass", "reset_function", "custom-function", "function", "custom-token", "keys",
    "metadata_fields", "oauth2-apple", "oauth2-google", "codes", "oauth2-facebook", "mail", "smtp",
    "tokens", "functions", "triggers", "push",
  ]

  /// The keys of objects, by the names that errors give these.
  private struct Keys {
    var used: [String: Set<String>] = [:]
    var known: [String: Set<String>] = [:]
    private static let unknown = "unknown"

    init(_ texts: [String]) throws {
      for text in texts { try add(JSONParser.parse(text), in: { $0 }) }
    }

    /// Notes an object and those within, as the reader names them when it finds an unknown key.
    private mutating func add(
      _ value: JSONValue, in file: @escaping (JSONValue) -> JSONValue
    ) throws {
      switch value {
      case .array(let elements):
        for (index, element) in elements.enumerated() {
          try add(element) { changed in
            var all = elements
            all[index] = changed
            return file(.array(all))
          }
        }
      case .object(let members):
        let changed = file(.object(members + [JSONMember(Self.unknown, .bool(true))]))
        if let (name, keys) = Self.answer(to: changed) {
          used[name, default: []].formUnion(members.map(\.key))
          known[name, default: []].formUnion(keys)
        }
        for (index, member) in members.enumerated() {
          try add(member.value) { changed in
            var all = members
            all[index] = JSONMember(member.key, changed)
            return file(.object(all))
          }
        }
      default: break
      }
    }

    /// The object with an unknown key, and its known ones; nil where keys are names of the app.
    private static func answer(to file: JSONValue) -> (name: String, keys: [String])? {
      do throws(AppFileError) {
        _ = try AppFile(JSONWriter.bytes(file))
        return nil
      } catch {
        guard let place = error.reason.firstRange(of: "unknown") else { return nil }
        let words = error.reason[place.lowerBound...]
        guard let list = words.firstRange(of: ": there "), words.contains("\"\(unknown)\"") else {
          return nil
        }
        let keys = words[list.upperBound...].split(separator: " ").dropFirst()
          .map { String($0.filter { $0 != "," }) }.filter { $0 != "and" }
        // Operators of conditions are the rules' own, and have several ways to be written.
        guard keys.contains(where: { !$0.hasPrefix("$") }) else { return nil }
        let named = words[..<list.lowerBound].split(separator: " in ", maxSplits: 1)
        let isProvider = words.hasPrefix("unknown provider")
        let name =
          named.count == 2
          ? named[1].filter { $0 != "\"" } : isProvider ? "providers" : "the file"
        return (name, keys)
      }
    }

    /// The known keys that no object has, as "object.key".
    var missing: [String] {
      known.flatMap { name, keys in keys.subtracting(used[name] ?? []).map { "\(name).\($0)" } }
        .sorted()
    }
  }

  @Test func everyKnownKeyIsWrittenAgain() throws {
    let read = try Keys(Self.files)
    expectEqual(Set(read.known.keys), Self.objects)
    // The files have all that the readers know, so that what comes new has to come here.
    expectEqual(read.missing, [])
    var texts: [String] = []
    for text in Self.files {
      let file = try AppFile(Array(text.utf8))
      let written = JSONWriter.bytes(file.json)
      try expectEqual(AppFile(written), file)
      texts.append(String(decoding: written, as: UTF8.self))
    }
    let left = Self.unwritten.flatMap { name, keys in keys.map { "\(name).\($0)" } }
    try expectEqual(Keys(texts).missing, left)
  }

  /// The comparison sees what is missing.
  @Test(arguments: [
    (#","port":2525"#, "smtp.port"), (#","delete":true"#, "a role.delete"),
    (#","allowed_origins":["https://x.org"]"#, "the file.allowed_origins"),
    (#""anon-user":{},"#, "providers.anon-user"),
    (#""full_document":false,"#, "triggers.full_document"),
  ])
  func aKeyThatIsMissingIsSeen(_ part: String, _ key: String) throws {
    let texts = Self.files.map { text in
      text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
        .replacing(part, with: "")
    }
    try expectEqual(Keys(texts).missing, [key])
  }
}
#endif
