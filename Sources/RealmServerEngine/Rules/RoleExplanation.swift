// SPDX-License-Identifier: Apache-2.0

// The role of a user for a class, and its rights, in sentences.

import RealmReplication

/// The rights of a user to the objects of a class, and the reason.
package struct RoleExplanation: CustomStringConvertible {
  private let className: String
  /// Whether the class has roles of its own.
  private let isOfClass: Bool
  /// The roles without effect, up to the applying one.
  private let passed: [String]
  private let permission: ClassPermission

  package init(_ roles: AppRoles, of user: RuleUser, className: String) {
    self.className = className
    isOfClass = roles.classes[className] != nil
    let list = roles.roles(ofClass: className)
    permission = roles.permissions(of: user)[className]
    let name = permission.role
    passed = list.prefix { $0.name != name }.map(\.name)
  }

  package var description: String {
    let list = isOfClass ? "the roles of \(className)" : "the default roles"
    guard let role = permission.role else {
      let reason =
        passed.isEmpty
        ? "there are none" : "none applies (\(passed.map(Self.quoted).joined(separator: ", ")))"
      return "nothing: of \(list), \(reason)"
    }
    var lines = ["\(Self.quoted(role)) applies, the first of \(list) whose \"apply_when\" holds"]
    if !passed.isEmpty {
      lines[0] += "; not \(passed.map(Self.quoted).joined(separator: ", "))"
    }
    lines.append("reads: \(permission.read)\(readFields)")
    let fields = changedFields
    lines.append("changes: \(fields.isEmpty ? "no objects" : "\(permission.write)\(fields)")")
    lines.append("inserts: \(permission.inserts ? "\(permission.write)" : "no objects")")
    lines.append("deletes: \(permission.deletes ? "\(permission.write)" : "no objects")")
    return lines.joined(separator: "\n")
  }

  /// The readable properties; nothing to add if all are.
  private var readFields: String {
    guard permission.read != .constant(false), !permission.readable.isAll else { return "" }
    return permission.readable.words
  }

  /// The properties that may be changed: nothing to add if all may; empty if none may.
  private var changedFields: String {
    if permission.writable.isAll { return ", all properties" }
    return permission.writable.isEmpty ? "" : permission.writable.words
  }

  private static func quoted(_ name: String) -> String { "\"\(name)\"" }
}

extension FieldSelection {
  /// The properties in words: `home.street` is that of the objects embedded in `home`.
  fileprivate var words: String {
    let names = others ? excluded(within: "") : included(within: "")
    return (others ? ", all properties but " : ", the properties ")
      + names.sorted().joined(separator: ", ")
  }

  /// The exceptions, of a selection of all but these.
  private func excluded(within prefix: String) -> [String] {
    exceptions.map { prefix + $0 }
      + inside.flatMap { (name, part) -> [String] in
        let path = prefix + name + "."
        return part.others
          ? part.excluded(within: path)
          : [Self.words(prefix + name, except: part.included(within: path))]
      }
  }

  /// The members, of a selection of these alone.
  private func included(within prefix: String) -> [String] {
    exceptions.flatMap { (name) -> [String] in
      guard let part = inside[name] else { return [prefix + name] }
      let path = prefix + name + "."
      return part.others
        ? [Self.words(prefix + name, except: part.excluded(within: path))]
        : part.included(within: path)
    }
  }

  private static func words(_ name: String, except names: [String]) -> String {
    "\(name) (except \(names.sorted().joined(separator: " and ")))"
  }
}
