// SPDX-License-Identifier: Apache-2.0

// The rules of the former service, as roles of this server.
//
// Invariants:
// 1. No user gets more rights than by the former rules: where a rule cannot be read, its
//    users have none, and no later role of the list applies to them.

#if Server
import RealmFormats
import RealmServerEngine

/// Reads roles and conditions.
struct RoleTranslation {
  private let rules: RuleReader
  private(set) var notes: [ImportNote] = []

  init(values: [String: BSONValue]) { rules = RuleReader(values: values) }

  /// The roles of a class.
  ///
  /// - Parameters:
  ///   - json: The list of roles.
  ///   - place: The class, in words.
  mutating func roles(_ json: JSONValue, of place: String) -> [Role] {
    var roles: [Role] = []
    for (index, element) in (json.array ?? []).enumerated() {
      let role = Self.current(Self.withPlainValues(element), index)
      var name = role["name"]?.string ?? ""
      while roles.contains(where: { $0.name == name }) { name += "'" }
      do throws(AppFileError) {
        guard let condition = role["apply_when"] else {
          throw AppFileError(rule: "it says not to whom it applies")
        }
        let applies = try rules.expression(condition, at: [])
        do throws(AppFileError) {
          roles.append(try read(role.replacing("name", by: .string(name))))
        } catch {
          deny("The role \"\(name)\" of \(place)", error, "Its users have no rights")
          let none = DocumentFilter.user(.constant(false))
          roles.append(
            Role(named: name, appliesWhen: applies, readFilter: none, writeFilter: none))
        }
      } catch {
        deny(
          "The role \"\(name)\" of \(place)", error,
          "It and the roles after it are left out, and their users have no rights")
        return roles
      }
    }
    return roles
  }

  /// Rules with values of the environment as those of the app, where they are by now.
  private static func withPlainValues(_ json: JSONValue) -> JSONValue {
    let prefix = "%%environment.values."
    func plain(_ text: String) -> String {
      text.hasPrefix(prefix) ? "%%values." + text.dropFirst(prefix.count) : text
    }
    switch json {
    case .string(let text): return .string(plain(text))
    case .array(let elements): return .array(elements.map(withPlainValues))
    case .object(let members):
      return .object(members.map { JSONMember(plain($0.key), withPlainValues($0.value)) })
    default: return json
    }
  }

  /// A role with the names of members of today.
  private static func current(_ json: JSONValue, _ index: Int) -> JSONValue {
    guard case .object(let members) = json else { return json }
    var result: [JSONMember] = []
    if json["name"]?.string?.isEmpty != false {
      result.append(JSONMember("name", .string("role \(index + 1)")))
    }
    let isOld = json["applyWhen"] != nil
    for member in members {
      switch member.key {
      case "name" where member.value.string?.isEmpty != false: break
      case "applyWhen": result.append(JSONMember("apply_when", member.value))
      case "read" where isOld, "write" where isOld: break
      case "id", "_id": break
      default:
        // Null is a missing setting.
        if member.value != .null { result.append(member) }
      }
    }
    if isOld {
      result.append(
        JSONMember(
          "document_filters",
          .object([
            JSONMember("read", json["read"] ?? .bool(false)),
            JSONMember("write", json["write"] ?? .bool(false)),
          ])))
      for right in ["read", "write", "insert", "delete"] {
        if !result.contains(where: { $0.key == right }) {
          result.append(JSONMember(right, .bool(true)))
        }
      }
    }
    return .object(result)
  }

  private func read(_ role: JSONValue) throws(AppFileError) -> Role {
    let list = JSONValue.object([JSONMember("default", .array([role]))])
    guard let read = try RoleReader(rules: rules).roles(list, at: []).fallback.first else {
      throw AppFileError(rule: "it is empty")
    }
    return read
  }

  /// A condition of partitions. No user meets an unreadable one.
  mutating func condition(_ json: JSONValue?, named name: String) -> RuleExpression {
    guard let json else { return .constant(false) }
    do throws(AppFileError) {
      return try rules.expression(Self.withPlainValues(json), at: [])
    } catch {
      deny("The permission \"\(name)\" of partitions", error, "No user has it")
      return .constant(false)
    }
  }

  private mutating func deny(_ rule: String, _ error: AppFileError, _ consequence: String) {
    notes.append(
      ImportNote(
        .left,
        "\(rule) cannot be carried over: \(error.reason). \(consequence) until you change "
          + "app.json."))
  }
}

extension JSONValue {
  /// The object with another value of a key.
  fileprivate func replacing(_ key: String, by value: JSONValue) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.key != key } + [JSONMember(key, value)])
  }
}
#endif
