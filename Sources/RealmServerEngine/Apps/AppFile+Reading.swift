// SPDX-License-Identifier: Apache-2.0

// Reading `app.json`, strictly: an unknown key is an error with its name.

import RealmFormats
import RealmSyncProtocol

extension AppFile {
  /// The keys without support in this version.
  private static let laterKeys: Set<String> = [
    "roles", "schema", "queryableFields", "functions",
  ]
  private static let laterProviders: Set<String> = [
    "api-key", "custom-token", "custom-function", "oauth2-apple", "oauth2-google",
    "oauth2-facebook",
  ]

  /// Reads the file of an app.
  package init(_ bytes: [UInt8]) throws(AppFileError) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONParser.parse(bytes)
    } catch {
      throw AppFileError("is not JSON: \(error)")
    }
    let members = try Self.members(json, "the file")
    guard let id = json["id"]?.string, Self.isID(id) else {
      throw AppFileError("needs an \"id\" of lower-case letters, digits, \"-\" and \"_\"")
    }
    self.init(id: id, name: id)
    accounts.allowsAnonymous = false
    accounts.confirmation = nil
    for member in members {
      switch member.key {
      case "id": break
      case "name": name = try Self.text(member, among: nil)
      case "mode":
        guard try Self.text(member, among: ["development", "production"]) == "development" else {
          throw AppFileError(
            "has \"mode\": \"production\", which needs roles; this version has none yet")
        }
      case "sync":
        let text = try Self.text(member, among: ["flexible", "partition"])
        mode = text == "flexible" ? .flexible : .partition
      case "providers": try readProviders(member.value)
      case "tokens": try readTokens(member.value)
      case let key where Self.laterKeys.contains(key):
        throw AppFileError("has the key \"\(key)\", which this version does not support yet")
      case let key: throw AppFileError("has the unknown key \"\(key)\"")
      }
    }
  }

  private mutating func readProviders(_ json: JSONValue) throws(AppFileError) {
    for member in try Self.members(json, "\"providers\"") {
      let settings = try Self.members(member.value, "the provider \"\(member.key)\"")
      switch member.key {
      case AccountService.anonymousProvider:
        accounts.allowsAnonymous = true
        if let setting = settings.first { throw Self.unknown(setting, in: member) }
      case AccountService.passwordProvider:
        accounts.confirmation = .auto
        for setting in settings {
          guard setting.key == "confirm" else { throw Self.unknown(setting, in: member) }
          let text = try Self.text(setting, among: ["auto", "mail", "function"])
          guard let confirmation = AccountSettings.Confirmation(rawValue: text) else {
            throw AppFileError("has \"confirm\": \"function\", which is not supported yet")
          }
          accounts.confirmation = confirmation
        }
      case let key where Self.laterProviders.contains(key):
        throw AppFileError("has the provider \"\(key)\", which is not supported yet")
      case let key: throw AppFileError("has the unknown provider \"\(key)\"")
      }
    }
  }

  private mutating func readTokens(_ json: JSONValue) throws(AppFileError) {
    for member in try Self.members(json, "\"tokens\"") {
      let number = member.value.integer
      switch member.key {
      case "accessMinutes":
        guard let number, (1...24 * 60).contains(number) else {
          throw AppFileError("needs an \"accessMinutes\" from 1 to 1440")
        }
        accounts.accessMinutes = Int(number)
      case "refreshDays":
        guard let number, (1...3_650).contains(number) else {
          throw AppFileError("needs a \"refreshDays\" from 1 to 3650")
        }
        accounts.refreshDays = Int(number)
      case let key: throw AppFileError("has the unknown key \"\(key)\" in \"tokens\"")
      }
    }
  }

  private static func unknown(_ member: JSONMember, in parent: JSONMember) -> AppFileError {
    AppFileError("has the unknown key \"\(member.key)\" in \"\(parent.key)\"")
  }

  private static func members(
    _ json: JSONValue, _ name: String
  ) throws(AppFileError) -> [JSONMember] {
    guard case .object(let members) = json else { throw AppFileError("needs \(name) as an object") }
    var keys: Set<String> = []
    for member in members where !keys.insert(member.key).inserted {
      throw AppFileError("has the key \"\(member.key)\" twice")
    }
    return members
  }

  private static func text(
    _ member: JSONMember, among texts: [String]?
  ) throws(AppFileError) -> String {
    guard let text = member.value.string, texts?.contains(text) != false else {
      let expected = texts.map { "one of " + $0.joined(separator: ", ") } ?? "a string"
      throw AppFileError("has a \"\(member.key)\" that is not \(expected)")
    }
    return text
  }
}
